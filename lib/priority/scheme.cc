#include "priority/scheme.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::priority {

Parameters read_parameters(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  at.allow_only({"scheme"});
  Parameters parameters;
  const auto scheme = at.find("scheme");
  if (scheme && scheme->as_string() != parameters.scheme) {
    throw Error{Kind::invalid, fmt::format("there is no priority scheme {}", quote(scheme->as_string())),
                "the only one is 'none': the priority is the urgency"};
  }
  return parameters;
}

std::uint32_t from_urgency(std::uint8_t urgency) {
  constexpr std::uint8_t kHold = 0;
  constexpr std::uint8_t kExpedite = 31;
  constexpr std::uint32_t kHighest = std::numeric_limits<std::uint32_t>::max();
  if (urgency == kHold) return 0;
  if (urgency >= kExpedite) return kHighest;
  return std::clamp<std::uint32_t>(urgency, 1, kHighest - 1);
}

}  // namespace fq::priority
