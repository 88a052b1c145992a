#include "sched/matcher.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "document/resource/constraint.h"
#include "notation/idset.h"
#include "sched/node_choice.h"
#include "sched/request_text.h"

namespace fq::sched {

using document::ResourceCounts;
using document::ResourceSet;
using notation::Idset;

namespace {

/// Constraint texts remembered at a time.
constexpr std::size_t kMaxRemembered = 1024;
/// R's times have microseconds: no shorter allocation can be written.
constexpr double kShortest = 1e-6;

void require_request(const ResourceCounts& want) {
  if (want.nslots == 0 || want.cores_per_slot == 0 || (want.nnodes > 0 && want.slots_per_node == 0)) {
    throw error(Kind::internal, "matcher: a request without slots or cores");
  }
}

}  // namespace

/// What a set of nodes has, as counts of like nodes: enough to tell exactly how much of a request fits.
struct Matcher::Supply {
  struct Like {
    std::uint32_t cores = 0, gpus = 0;
    bool idle = false;
    std::uint32_t nodes = 0;
  };
  std::vector<Like> likes;
  SupplyTotals totals;

  /// Nodes that could hold the request's share of a node, for a request with a node level; else slots.
  [[nodiscard]] std::uint64_t holds(const ResourceCounts& want) const {
    std::uint64_t sum = 0;
    const std::uint64_t need_cores = cores_per_node(want), need_gpus = gpus_per_node(want);
    for (const Like& like : likes) {
      if (want.exclusive && !like.idle) continue;
      if (want.nnodes == 0) {
        sum += std::uint64_t{like.nodes} * slots_in(like.cores, like.gpus, want);
      } else if (like.cores >= need_cores && like.gpus >= need_gpus) {
        sum += like.nodes;
      }
    }
    return sum;
  }

  [[nodiscard]] bool fits(const ResourceCounts& want) const { return holds(want) >= needed(want); }
};

/// The nodes of an inventory that a constraint matches.
struct Matcher::Matched {
  std::vector<NodeRange> nodes;
  bool constrained = false;  ///< whether the constraint leaves anything out
  Supply all;

  template <class F>
  void for_each(F f) const {
    for (const NodeRange& range : nodes) {
      for (std::size_t i = range.begin; i < range.end; ++i) f(i);
    }
  }
};

/// The same of a pool.
struct Matcher::Candidates {
  std::shared_ptr<const Matched> matched;
  Supply usable;  ///< valid for usable_version
  Supply free;    ///< valid for version
  std::uint64_t usable_version = 0, version = 0;
};

Matcher::Matcher(const Pool& pool) : pool_(pool), known_(std::make_shared<Known>()) {}
Matcher::Matcher(const Pool& pool, const Matcher* like)
    : pool_(pool), known_(like != nullptr ? like->known_ : std::make_shared<Known>()) {}
Matcher::~Matcher() = default;

Matcher::Candidates& Matcher::candidates(const std::string& constraint) {
  if (const auto known = candidates_.find(constraint); known != candidates_.end()) return *known->second;

  auto made = std::make_unique<Candidates>();
  made->matched = matched(constraint);
  if (candidates_.size() >= kMaxRemembered) candidates_.clear();
  return *candidates_.emplace(constraint, std::move(made)).first->second;
}

std::shared_ptr<const Matcher::Matched> Matcher::matched(const std::string& constraint) {
  if (const auto known = known_->find(constraint); known != known_->end()) return known->second;

  auto made = std::make_shared<Matched>();
  const Idset& ranks = pool_.inventory().ranks();
  Idset matching = ranks;
  if (!constraint.empty()) {
    const auto parsed = document::Constraint::from_json_text(constraint);
    made->constrained = !parsed.matches_all();
    matching = parsed.match(pool_.inventory());
  }
  // Ranks become indexes: a range of matching ranks is in one range of the inventory's.
  auto within = ranks.ranges().begin();
  std::size_t before = 0;
  for (const Idset::Range& range : matching.ranges()) {
    while (within->last < range.first) {
      before += within->last - within->first + 1;
      ++within;
    }
    made->nodes.push_back(
        {before + (range.first - within->first), before + (range.last - within->first) + 1});
  }
  made->all = supply(*made, false, false);

  if (known_->size() >= kMaxRemembered) known_->clear();
  return known_->emplace(constraint, std::move(made)).first->second;
}

Matcher::Supply Matcher::supply(const Matched& m, bool only_usable, bool only_free) const {
  Supply result;
  // Of few kinds each is found at once; of many by its key.
  constexpr std::size_t kFew = 8;
  std::unordered_map<std::uint64_t, std::size_t> places;
  Supply::Like* last = nullptr;
  const auto find = [&](const Supply::Like& like) {
    const auto is_it = [&](const Supply::Like& other) {
      return other.cores == like.cores && other.gpus == like.gpus && other.idle == like.idle;
    };
    if (result.likes.size() < kFew) {
      const auto at = std::find_if(result.likes.begin(), result.likes.end(), is_it);
      if (at != result.likes.end()) return static_cast<std::size_t>(at - result.likes.begin());
      result.likes.push_back(like);
      return result.likes.size() - 1;
    }
    const auto key = [](const Supply::Like& of) {
      return std::uint64_t{of.cores} << 32 | std::uint64_t{of.gpus} << 1 | (of.idle ? 1 : 0);
    };
    if (places.empty()) {
      for (std::size_t i = 0; i < result.likes.size(); ++i) places.emplace(key(result.likes[i]), i);
    }
    const auto [at, is_new] = places.try_emplace(key(like), result.likes.size());
    if (is_new) result.likes.push_back(like);
    return at->second;
  };
  m.for_each([&](std::size_t i) {
    if (only_usable && !pool_.usable(i)) return;
    const Supply::Like like{only_free ? pool_.free_cores(i) : pool_.cores(i),
                            only_free ? pool_.free_gpus(i) : pool_.gpus(i), !only_free || pool_.idle(i), 0};
    const bool as_before =
        last != nullptr && last->cores == like.cores && last->gpus == like.gpus && last->idle == like.idle;
    if (!as_before) last = &result.likes[find(like)];
    last->nodes += 1;
  });
  for (const Supply::Like& like : result.likes) {
    result.totals.nodes += like.nodes;
    result.totals.cores += std::uint64_t{like.nodes} * like.cores;
    result.totals.gpus += std::uint64_t{like.nodes} * like.gpus;
    result.totals.most_cores = std::max(result.totals.most_cores, like.cores);
    result.totals.most_gpus = std::max(result.totals.most_gpus, like.gpus);
  }
  return result;
}

const Matcher::Supply& Matcher::usable_supply(Candidates& c) {
  if (pool_.all_usable()) return c.matched->all;
  if (c.usable_version != pool_.usable_version()) {
    c.usable = supply(*c.matched, true, false);
    c.usable_version = pool_.usable_version();
  }
  return c.usable;
}

const Matcher::Supply& Matcher::free_supply(Candidates& c) {
  if (c.version != pool_.version()) {
    c.free = supply(*c.matched, true, true);
    c.version = pool_.version();
  }
  return c.free;
}

std::optional<std::string> Matcher::check_feasible(const AllocRequest& request) {
  require_request(request.counts);
  std::shared_ptr<const Matched> m;
  try {
    m = candidates(request.constraint).matched;
  } catch (const Error& e) {
    if (e.kind() != Kind::invalid) throw;
    return std::string("unsatisfiable request: ") + e.what();
  }
  if (m->all.fits(request.counts)) return std::nullopt;
  if (m->constrained && m->all.totals.nodes == 0) return no_match_text(request.constraint);
  return infeasible_text(request.counts, m->all.totals, m->all.holds(request.counts), m->constrained);
}

bool Matcher::fits_usable(const AllocRequest& request) {
  require_request(request.counts);
  return usable_supply(candidates(request.constraint)).fits(request.counts);
}

bool Matcher::fits_free(const AllocRequest& request) {
  require_request(request.counts);
  return free_supply(candidates(request.constraint)).fits(request.counts);
}

std::uint64_t Matcher::fewest_nodes(const AllocRequest& request) {
  require_request(request.counts);
  std::vector<std::pair<std::uint32_t, std::uint64_t>>
      held;  // slots that a node holds, nodes that hold so many
  for (const Supply::Like& like : candidates(request.constraint).matched->all.likes) {
    held.emplace_back(slots_in(like.cores, like.gpus, request.counts), like.nodes);
  }
  std::sort(held.begin(), held.end(), std::greater<>{});
  std::uint64_t left = request.counts.nslots, nodes = 0;
  for (const auto& [slots, of_them] : held) {
    if (left == 0 || slots == 0) break;
    const std::uint64_t taken = std::min(of_them, (left + slots - 1) / slots);
    nodes += taken;
    left -= std::min(left, taken * slots);
  }
  return left == 0 ? nodes : 0;
}

std::string Matcher::why_pending(const AllocRequest& request) {
  require_request(request.counts);
  const ResourceCounts& want = request.counts;
  Candidates& c = candidates(request.constraint);
  const Supply& free = free_supply(c);
  if (free.fits(want)) return {};
  const Supply& usable = usable_supply(c);
  if (!usable.fits(want)) return not_up_text(want, usable.holds(want), c.matched->all.holds(want));
  return not_free_text(want, free.totals, free.holds(want));
}

const std::vector<NodeRange>& Matcher::nodes(const AllocRequest& request) {
  return candidates(request.constraint).matched->nodes;
}

void complete_allocation(ResourceSet& r, const ResourceSet& inventory, const AllocRequest& request,
                         double now) {
  r.nslots = request.counts.nslots;
  r.starttime = now;
  if (request.duration > 0 && std::isfinite(request.duration)) {
    r.expiration = now + std::max(request.duration, kShortest);
  }
  if (inventory.expiration > now && (r.expiration == 0 || r.expiration > inventory.expiration)) {
    r.expiration = inventory.expiration;
  }
  r.scheduling = inventory.scheduling;
  for (const auto& [name, ranks] : inventory.properties()) {
    if (name.starts_with('+')) continue;
    if (const Idset here = ranks.intersect(r.ranks()); !here.empty()) r.set_property(name, here);
  }
}

std::optional<ResourceSet> Matcher::match(const AllocRequest& request, double now, MatchPolicy policy,
                                          const std::vector<bool>* preferred) {
  require_request(request.counts);
  if (!free_supply(candidates(request.constraint)).fits(request.counts)) return std::nullopt;
  return match_fitting(request, now, policy, preferred);
}

ResourceSet Matcher::match_fitting(const AllocRequest& request, double now, MatchPolicy policy,
                                   const std::vector<bool>* preferred) {
  const ResourceCounts& want = request.counts;
  const NodeChoice choice = choose_nodes(pool_, nodes(request), want, policy, preferred);
  ResourceSet r;
  for (const auto& [node, slots] : choice) {
    r.add(want.exclusive ? pool_.pick(node, pool_.cores(node), pool_.gpus(node))
                         : pool_.pick(node, slots * want.cores_per_slot, slots * want.gpus_per_slot));
  }
  complete_allocation(r, pool_.inventory(), request, now);
  return r;
}

}  // namespace fq::sched
