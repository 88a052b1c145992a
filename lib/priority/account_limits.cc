#include "priority/account_limits.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::priority {

namespace {

constexpr std::string_view kPrefix = "max-";

const LimitName* limit_named(std::string_view key) {
  for (const LimitName& each : kLimitNames) {
    if (key == std::string{kPrefix}.append(each.name)) return &each;
  }
  return nullptr;
}

}  // namespace

AccountLimits read_limits(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  AccountLimits limits;
  for (const auto& [key, value] : at.object().value().items()) {
    const LimitName* known = limit_named(key);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const LimitName& each : kLimitNames) names.push_back(std::string{kPrefix}.append(each.name));
      throw Error{Kind::invalid,
                  fmt::format("there is no limit {}: expected one of {}", quote(key), join(names, ", ")),
                  did_you_mean(key, names)};
    }
    if (!value.is_number_integer() || value < AccountLimits::kNone || value > AccountLimits::kMost) {
      throw error(Kind::invalid, "{}: expected a number from 0 to {}, or -1 for none", key,
                  AccountLimits::kMost);
    }
    limits.*known->member = value.get<std::int64_t>();
  }
  return limits;
}

AccountLimits decode_limits(std::string_view text) {
  return text.empty() ? AccountLimits{} : read_limits(parse_json(text, "limits"));
}

}  // namespace fq::priority
