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

std::uint32_t job_priority(std::uint8_t urgency, std::string_view qos) {
  constexpr std::uint8_t kHoldUrgency = 0;
  constexpr std::uint8_t kExpediteUrgency = 31;
  constexpr std::uint32_t kOfStandby = 1;
  if (urgency == kHoldUrgency) return 0;
  if (urgency >= kExpediteUrgency) return std::numeric_limits<std::uint32_t>::max();
  if (qos == kStandby) return kOfStandby;
  return std::max<std::uint32_t>(urgency, kOfStandby + 1);
}

}  // namespace fq::priority
