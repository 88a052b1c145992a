#include "sched/node_choice.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

namespace fq::sched {

using document::ResourceCounts;

namespace {

// A node that could give something.
struct Item {
  bool preferred = false;
  std::uint32_t slots = 0;            ///< that it holds; with a node level, those of one node
  std::uint64_t gpus = 0, cores = 0;  ///< by which the policy ranks it, the least first
  std::size_t node = 0;

  [[nodiscard]] auto rank() const { return std::tuple{!preferred, gpus, cores, node}; }
  bool operator<(const Item& other) const { return rank() < other.rank(); }
};

using Items = std::vector<Item>;

// All of them, or those that are preferred, or those that are not.
enum class Which { all, preferred, others };

Items items_of(const Pool& pool, const std::vector<NodeRange>& nodes, const ResourceCounts& want,
               MatchPolicy policy, const std::vector<bool>* preferred, Which which) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto item_of = [&](std::size_t node) {
    const std::uint32_t cores = pool.free_cores(node), gpus = pool.free_gpus(node);
    Item item{preferred != nullptr && (*preferred)[node], 0, gpus, cores, node};
    if (!pool.usable(node) || (want.exclusive && !pool.idle(node))) return item;
    if (want.nnodes == 0) {
      item.slots = slots_in(cores, gpus, want);
    } else if (cores >= cores_per_node(want) && gpus >= gpus_per_node(want)) {
      item.slots = want.slots_per_node;
    }
    if (policy == MatchPolicy::first) item.gpus = item.cores = 0;
    if (policy == MatchPolicy::spread) {
      item.cores = kMost - cores;
      if (want.gpus_per_slot > 0) item.gpus = kMost - gpus;
    }
    return item;
  };
  Items items;
  for (const NodeRange& range : nodes) {
    for (std::size_t node = range.begin; node < range.end; ++node) {
      if (which != Which::all && (*preferred)[node] != (which == Which::preferred)) continue;
      if (const Item item = item_of(node); item.slots > 0) items.push_back(item);
    }
  }
  return items;
}

// Nodes that are alike are in order already.
template <typename Before>
void sort_items(Items& items, Before before) {
  if (!std::is_sorted(items.begin(), items.end(), before)) std::sort(items.begin(), items.end(), before);
}

// The fewest nodes.
void take_packed(Items items, std::uint64_t left, NodeChoice& choice) {
  const bool one_is_enough =
      std::any_of(items.begin(), items.end(), [&](const Item& item) { return item.slots >= left; });
  auto next = items.begin();
  if (!one_is_enough) {
    sort_items(items,
               [](const Item& a, const Item& b) { return a.slots != b.slots ? a.slots > b.slots : a < b; });
    for (; next->slots < left; ++next) {
      choice.emplace_back(next->node, next->slots);
      left -= next->slots;
    }
  }
  const Item* last = nullptr;
  for (; next != items.end(); ++next) {
    if (next->slots >= left && (last == nullptr || *next < *last)) last = &*next;
  }
  choice.emplace_back(last->node, static_cast<std::uint32_t>(left));
}

// In their order, all of each.
void take_first(Items items, std::uint64_t left, NodeChoice& choice) {
  sort_items(items, std::less<>{});
  for (auto next = items.begin(); left > 0; ++next) {
    const auto slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, next->slots));
    choice.emplace_back(next->node, slots);
    left -= slots;
  }
}

// In their order, as evenly as they hold it.
void take_spread(Items items, std::uint64_t left, NodeChoice& choice) {
  sort_items(items, std::less<>{});
  std::vector<std::uint32_t> taken(items.size());
  while (left > 0) {
    for (std::size_t i = 0; i < items.size() && left > 0; ++i) {
      if (taken[i] == items[i].slots) continue;
      ++taken[i];
      --left;
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (taken[i] > 0) choice.emplace_back(items[i].node, taken[i]);
  }
}

// REQUIRES that the items hold `left` slots.
void take_slots(Items items, std::uint64_t left, MatchPolicy policy, NodeChoice& choice) {
  if (left == 0) return;
  switch (policy) {
    case MatchPolicy::pack:
      return take_packed(std::move(items), left, choice);
    case MatchPolicy::first:
      return take_first(std::move(items), left, choice);
    case MatchPolicy::spread:
      return take_spread(std::move(items), left, choice);
  }
}

// So many of them, by node. REQUIRES that there are as many.
void take_nodes(const Items& items, std::size_t wanted, NodeChoice& choice) {
  choice.reserve(wanted);
  const auto add = [&](const Item& item) { choice.emplace_back(item.node, item.slots); };
  if (wanted == items.size() || std::is_sorted(items.begin(), items.end())) {
    std::for_each(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(wanted), add);
    return;
  }
  Items by_rank = items;
  const auto last = by_rank.begin() + static_cast<std::ptrdiff_t>(wanted - 1);
  std::nth_element(by_rank.begin(), last, by_rank.end());
  for (const Item& item : items) {
    if (!(*last < item)) add(item);
  }
}

}  // namespace

NodeChoice choose_nodes(const Pool& pool, const std::vector<NodeRange>& nodes, const ResourceCounts& want,
                        MatchPolicy policy, const std::vector<bool>* preferred) {
  const auto items = [&](Which which) { return items_of(pool, nodes, want, policy, preferred, which); };
  NodeChoice choice;
  if (want.nnodes > 0) {
    take_nodes(items(Which::all), want.nnodes, choice);
    return choice;
  }
  // What is taken is mostly in order already.
  const auto sort = [&](std::size_t from) {
    const auto first = choice.begin() + static_cast<std::ptrdiff_t>(from);
    if (!std::is_sorted(first, choice.end())) std::sort(first, choice.end());
  };
  if (preferred == nullptr) {
    take_slots(items(Which::all), want.nslots, policy, choice);
    sort(0);
    return choice;
  }
  Items first = items(Which::preferred);
  std::uint64_t held = 0;
  for (const Item& item : first) held += item.slots;
  held = std::min<std::uint64_t>(held, want.nslots);
  take_slots(std::move(first), held, policy, choice);
  sort(0);
  if (held == want.nslots) return choice;
  const std::size_t half = choice.size();
  take_slots(items(Which::others), want.nslots - held, policy, choice);
  sort(half);
  std::inplace_merge(choice.begin(), choice.begin() + static_cast<std::ptrdiff_t>(half), choice.end());
  return choice;
}

}  // namespace fq::sched
