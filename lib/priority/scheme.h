// Priority schemes: from what a job is, and what its factors are now, to the integer that orders it (RFC 27:
// 0 to 4294967295, the highest first).
//
// Whatever the scheme, urgency 0 holds a job (priority 0) and 31 expedites it (4294967295); all others get
// something between.
//
//   none          the urgency, at least 2; 1 for QoS standby
//   fcfs          4294967294 for the first job, for each next one less
//   multifactor   Σ weight × factor, rounded

#pragma once

#include <cstdint>
#include <string_view>

#include "document/jobspec/jobspec.h"
#include "priority/parameters.h"

namespace fq::priority {

inline constexpr std::uint32_t kHeld = 0;
inline constexpr std::uint32_t kExpedited = 4294967295;
/// What a scheme gives lies between these.
inline constexpr std::uint32_t kLeast = 1, kMost = kExpedited - 1;
inline constexpr double kMostPoints = kMost;

/// The qualities of service that there always are: standby jobs are exempt from the limits of queues on size
/// and duration, and are served after all others; expedite must be granted; normal is what jobs have that
/// name none.
inline constexpr std::string_view kStandby = "standby";
inline constexpr std::string_view kNormal = "normal";
inline constexpr std::string_view kExpedite = "expedite";

/// Whether the urgency alone decides the priority.
[[nodiscard]] bool is_held(std::uint8_t urgency);
[[nodiscard]] bool is_expedited(std::uint8_t urgency);

/// The scheme none. REQUIRES an urgency that neither holds nor expedites.
[[nodiscard]] std::uint32_t urgency_priority(std::uint8_t urgency, std::string_view qos);
/// The scheme fcfs, for the job that has this number among all: 0 for those from before they were numbered.
[[nodiscard]] std::uint32_t fcfs_priority(std::uint64_t number);
/// The scheme multifactor: what points add up to.
[[nodiscard]] std::uint32_t multifactor_priority(const Factors& points);
/// weight × factor of each.
[[nodiscard]] Factors points_of(const Factors& weights, const Factors& factors);
[[nodiscard]] double sum(const Factors& factors);

// Factors, each within [0, 1].

/// Of a wait that counts for at most `max_wait_s`.
[[nodiscard]] double wait_factor(double waited_s, double max_wait_s);
/// The user's own: urgency / 30, so that users, who may ask for 16 at the most, can only lower it.
[[nodiscard]] double user_factor(std::uint8_t urgency);

/// What sizes of jobs are held against: the nodes there are, and the most that one of them has.
struct Machine {
  std::uint64_t nodes = 0;
  std::uint32_t cores_per_node = 0, gpus_per_node = 0;
};
/// The part of all nodes that a job asks for, or what is left where small jobs are favoured. One that asks
/// for slots only counts as the fewest nodes that could hold them.
[[nodiscard]] double size_factor(const document::ResourceCounts& counts, const Machine& machine, Favor favor);

}  // namespace fq::priority
