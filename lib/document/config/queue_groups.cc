#include "document/config/queue_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "document/resource/constraint.h"

namespace fq::document {

using notation::Idset;

void form_groups(Config& config) {
  std::map<std::string, Idset> ranks_of;  // each constraint is matched once
  for (const QueueConfig& queue : config.queues) {
    const auto [at, is_new] = ranks_of.try_emplace(queue.constraint);
    if (!is_new) continue;
    at->second = queue.constraint.empty()
                     ? config.inventory.ranks()
                     : Constraint::from_json_text(queue.constraint).match(config.inventory);
  }
  // Disjoint sets of constraints, joined along the nodes in the order of their ranks.
  std::vector<std::size_t> parent(ranks_of.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root_of = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::vector<std::pair<Idset::Range, std::size_t>> ranges;
  std::size_t number = 0;
  std::map<std::string, std::size_t> number_of;
  for (const auto& [constraint, ranks] : ranks_of) {
    for (const Idset::Range& range : ranks.ranges()) ranges.emplace_back(range, number);
    number_of[constraint] = number++;
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  std::size_t furthest = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first.first <= ranges[furthest].first.last) {
      parent[root_of(ranges[i].second)] = root_of(ranges[furthest].second);
    }
    if (ranges[i].first.last > ranges[furthest].first.last) furthest = i;
  }
  std::map<std::size_t, std::uint32_t> group_of;
  for (QueueConfig& queue : config.queues) {
    const std::size_t root = root_of(number_of.at(queue.constraint));
    queue.group = group_of.try_emplace(root, static_cast<std::uint32_t>(group_of.size())).first->second;
  }
}

}  // namespace fq::document
