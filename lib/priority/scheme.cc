#include "priority/scheme.h"

#include <algorithm>
#include <cmath>

namespace fq::priority {

namespace {

constexpr std::uint8_t kHoldUrgency = 0;
constexpr std::uint8_t kExpediteUrgency = 31;

std::uint64_t nodes_for(std::uint64_t units, std::uint32_t per_node) {
  return per_node == 0 ? 0 : (units + per_node - 1) / per_node;
}

}  // namespace

bool is_held(std::uint8_t urgency) {
  return urgency == kHoldUrgency;
}

bool is_expedited(std::uint8_t urgency) {
  return urgency >= kExpediteUrgency;
}

std::uint32_t urgency_priority(std::uint8_t urgency, std::string_view qos) {
  return qos == kStandby ? kLeast : std::max<std::uint32_t>(urgency, kLeast + 1);
}

std::uint32_t fcfs_priority(std::uint64_t number) {
  return kMost - static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kMost - kLeast));
}

std::uint32_t multifactor_priority(const Factors& points) {
  return static_cast<std::uint32_t>(std::clamp(std::round(sum(points)), double{kLeast}, kMostPoints));
}

Factors points_of(const Factors& weights, const Factors& factors) {
  Factors points;
  for (const FactorName& each : kFactorNames)
    points.*each.member = weights.*each.member * factors.*each.member;
  return points;
}

double sum(const Factors& factors) {
  double all = 0;
  for (const FactorName& each : kFactorNames) all += factors.*each.member;
  return all;
}

double wait_factor(double waited_s, double max_wait_s) {
  return std::clamp(waited_s / max_wait_s, 0.0, 1.0);
}

double user_factor(std::uint8_t urgency) {
  return std::min(urgency / 30.0, 1.0);
}

double size_factor(const document::ResourceCounts& counts, const Machine& machine, Favor favor) {
  if (machine.nodes == 0) return 0;
  std::uint64_t nodes = counts.nnodes;
  if (nodes == 0) {
    const std::uint64_t slots = counts.nslots;
    nodes = std::max({std::uint64_t{1}, nodes_for(slots * counts.cores_per_slot, machine.cores_per_node),
                      nodes_for(slots * counts.gpus_per_slot, machine.gpus_per_node)});
  }
  const double part = std::min(static_cast<double>(nodes) / static_cast<double>(machine.nodes), 1.0);
  return favor == Favor::large ? part : 1 - part;
}

}  // namespace fq::priority
