#include "priority/accounting.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"
#include "priority/account.h"

namespace fq::priority {

namespace {

/// Beyond it weighted usage would lose its seconds.
constexpr double kMostWeight = 1e9;

double half_life(const JsonAt& at) {
  const std::string& text = at.as_string();
  try {
    return notation::parse_fsd(text);
  } catch (const Error& failure) {
    throw Error{failure.kind(), fmt::format("{}: {}", at.path(), failure.what()),
                "\"0\" where usage is never to be forgotten"};
  }
}

Amounts usage_weights(const JsonAt& at) {
  Amounts weights{};
  for (const auto& [name, value] : at.object().value().items()) {
    const auto found = std::find(kResourceNames.begin(), kResourceNames.end(), name);
    if (found == kResourceNames.end()) {
      const std::vector<std::string> known(kResourceNames.begin(), kResourceNames.end());
      throw Error{Kind::invalid,
                  fmt::format("{}: there is no resource {}: expected one of {}", at.path(), quote(name),
                              join(known, ", ")),
                  did_you_mean(name, known)};
    }
    const JsonAt weight = at.at(name);
    const double number = weight.as_number();
    if (!(number >= 0 && number <= kMostWeight))
      throw weight.fail(fmt::format("expected a number from 0 to {:.0f}, got {}", kMostWeight, number));
    weights[static_cast<std::size_t>(found - kResourceNames.begin())] = number;
  }
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
    throw at.fail("one of the weights must be more than 0");
  return weights;
}

}  // namespace

Accounting read_accounting(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  at.allow_only({"default-bank", "fair-share", "half-life", "over-budget", "time-zone", "usage-weights"});
  Accounting accounting;
  if (const auto value = at.find("half-life")) accounting.half_life_s = half_life(*value);
  if (const auto name = at.find("fair-share")) {
    const std::string& wanted = name->as_string();
    try {
      accounting.fair_share = fair_share_algorithm(wanted);
    } catch (const Error& failure) {
      throw failure.within(name->path());
    }
  }
  if (const auto weights = at.find("usage-weights")) accounting.weights = usage_weights(*weights);
  if (const auto bank = at.find("default-bank")) {
    accounting.default_bank = bank->as_string();
    if (const std::string fault = account_name_fault("bank", accounting.default_bank); !fault.empty())
      throw bank->fail(fault);
  }
  if (const auto zone = at.find("time-zone")) {
    accounting.time_zone = zone->as_string();
    if (!is_time_zone(accounting.time_zone))
      throw zone->fail(fmt::format("there is no time zone {} here", quote(accounting.time_zone)));
  }
  if (const auto what = at.find("over-budget")) {
    const std::string& wanted = what->as_string();
    if (wanted != "wait" && wanted != "refuse")
      throw what->fail(fmt::format("expected \"wait\" or \"refuse\", got {}", quote(wanted)));
    accounting.refuse_over_budget = wanted == "refuse";
  }
  return accounting;
}

Accounting decode_accounting(std::string_view text) {
  return text.empty() ? Accounting{} : read_accounting(parse_json(text, "accounting"));
}

}  // namespace fq::priority
