// Priority schemes: from what a job is given by its users to the integer that orders it (RFC 27: 0 to
// 4294967295, the highest first).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq::priority {

/// What `policy.priority` says: it is read here alone (RFC 33).
struct Parameters {
  std::string scheme = "none";

  friend bool operator==(const Parameters&, const Parameters&) = default;
};
/// Throws Error{invalid}, also for a scheme that there is not.
[[nodiscard]] Parameters read_parameters(const nlohmann::json& table);

/// The qualities of service that are more than a name: standby jobs are exempt from the limits of queues on
/// size and duration, and are served after all others; expedite must be granted.
inline constexpr std::string_view kStandby = "standby";
inline constexpr std::string_view kExpedite = "expedite";

/// The priority of a job under the scheme `none`: its urgency, at least 2; 1 for standby. Urgency 0 holds
/// (priority 0) and 31 expedites (priority 4294967295), whatever the scheme and the quality of service.
[[nodiscard]] std::uint32_t job_priority(std::uint8_t urgency, std::string_view qos);

}  // namespace fq::priority
