// Chooses concrete cores and GPUs for requests of the jobspec V1 shapes (RFC 25), and says why it cannot.
//
// Which ones, of those that are free, is node_choice's to say.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "sched/capacity.h"
#include "sched/node_choice.h"
#include "sched/pool.h"
#include "sched/scheduler.h"

namespace fq::sched {

/// Makes of the cores and GPUs in `r` an allocation for the request: slots, starttime `now`, expiration,
/// properties and `scheduling` as Matcher::match gives them.
void complete_allocation(document::ResourceSet& r, const document::ResourceSet& inventory,
                         const AllocRequest& request, double now);

/// Answers for one pool, which it watches by its version. Remembers which nodes each constraint text matches
/// and what they have, so that asking again costs no visit to the nodes. Every function REQUIRES at least one
/// slot and one core a slot (else Error{internal}); all but check_feasible throw Error{invalid} for a
/// constraint that RFC 31 does not allow.
class Matcher {
 public:
  /// `pool` must outlive this.
  explicit Matcher(const Pool& pool);
  /// Knows what `like`, where there is one, knows of the inventory, which must be the same.
  Matcher(const Pool& pool, const Matcher* like);
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// Why the inventory could never satisfy the request, were all its nodes up and free: one line such as
  /// `unsatisfiable request: 5 nodes requested, 3 match`, for an invalid constraint too. Nothing when it
  /// could.
  [[nodiscard]] std::optional<std::string> check_feasible(const AllocRequest& request);
  /// Whether the nodes that are neither down nor drained could satisfy it, were they free.
  [[nodiscard]] bool fits_usable(const AllocRequest& request);
  /// Whether match would succeed. O(1) in the nodes while the pool does not change.
  [[nodiscard]] bool fits_free(const AllocRequest& request);

  /// The fewest nodes of the inventory that could hold the slots of a request without a node level, were all
  /// of them up and free; 0 when no number of them could.
  [[nodiscard]] std::uint64_t fewest_nodes(const AllocRequest& request);

  /// R for the request from what is free: nslots; starttime `now`; expiration `now` + duration, if there is
  /// one, but no later than the inventory's; the inventory's properties on these ranks, except instance-local
  /// ones (`+name`), and its `scheduling`. Nothing when it cannot be satisfied now.
  /// Nodes for which `preferred` is true, by index, come before all others.
  [[nodiscard]] std::optional<document::ResourceSet> match(const AllocRequest& request, double now,
                                                           MatchPolicy policy = MatchPolicy::pack,
                                                           const std::vector<bool>* preferred = nullptr);

  /// The same where it is known to fit: REQUIRES that.
  [[nodiscard]] document::ResourceSet match_fitting(const AllocRequest& request, double now,
                                                    MatchPolicy policy,
                                                    const std::vector<bool>* preferred = nullptr);

  /// The nodes that the request may use, up or not. Valid until the next call.
  [[nodiscard]] const std::vector<NodeRange>& nodes(const AllocRequest& request);

  /// Why a feasible request cannot be satisfied now: `2 cores requested, 1 free`, `waiting for 3 free nodes
  /// (1 free)`, or what it misses among the nodes that are up. Empty when it can.
  [[nodiscard]] std::string why_pending(const AllocRequest& request);

 private:
  struct Supply;
  struct Matched;
  struct Candidates;
  using Known = std::unordered_map<std::string, std::shared_ptr<const Matched>>;

  /// The nodes that `constraint` matches. Valid until the next call.
  Candidates& candidates(const std::string& constraint);
  [[nodiscard]] std::shared_ptr<const Matched> matched(const std::string& constraint);
  [[nodiscard]] Supply supply(const Matched& m, bool only_usable, bool only_free) const;
  const Supply& usable_supply(Candidates& c);
  const Supply& free_supply(Candidates& c);

  const Pool& pool_;
  std::shared_ptr<Known> known_;  ///< of the inventory alone
  std::unordered_map<std::string, std::unique_ptr<Candidates>> candidates_;
};

}  // namespace fq::sched
