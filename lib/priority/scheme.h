// Priority schemes: from what a job is given by its users to the integer that orders it (RFC 27: 0 to
// 4294967295, the highest first).

#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace fq::priority {

/// What `policy.priority` says: it is read here alone (RFC 33).
struct Parameters {
  std::string scheme = "none";

  friend bool operator==(const Parameters&, const Parameters&) = default;
};
/// Throws Error{invalid}, also for a scheme that there is not.
[[nodiscard]] Parameters read_parameters(const nlohmann::json& table);

/// The priority of a job under the scheme `none`: its urgency. Urgency 0 holds (priority 0) and 31 expedites
/// (priority 4294967295), whatever the scheme; any other result is clamped to 1..4294967294.
[[nodiscard]] std::uint32_t from_urgency(std::uint8_t urgency);

}  // namespace fq::priority
