// What the schedulers have reserved for jobs that wait, as the last pass left it: a key each, in the order
// made, with a JSON object
//
//   {"id": integer, "request": string, "start": seconds, "end": seconds or null, "certain": boolean,
//    "made": seconds, "stale": true, "down": seconds,
//    "nodes": [{"ranks": idset, "cores": idset, "gpus": idset}, …]}
//
// with what the nodes of some ranks have in common; `stale` and `down` where they are so. A pass can do
// without: it makes them anew. One more key tells when they could lose their places last, to jobs that come
// before theirs in the order.

#pragma once

#include <cstdint>
#include <vector>

#include "notation/idset.h"
#include "sched/timeline.h"
#include "store/transaction.h"

namespace fq::manager {

/// In the order made, without `queue`, on nodes of this inventory; what cannot be read is left out.
[[nodiscard]] std::vector<sched::Reservation> read_reservations(const store::Reader& reader,
                                                                const document::ResourceSet& inventory);

/// The same as a transaction in the making has them.
class StoredReservations {
 public:
  StoredReservations(const store::Reader& reader, const document::ResourceSet& inventory);

  [[nodiscard]] const std::vector<sched::Reservation>& all() const { return all_; }
  /// When they could lose their places last, seconds since the epoch; 0: at no time that is known.
  [[nodiscard]] double ranked() const { return ranked_; }

  /// Allocations on these nodes end at another time than they were to: what is reserved there is stale.
  void ends_moved(const notation::Idset& ranks);
  /// Whether something may have come free since the last pass that it did not know of.
  [[nodiscard]] bool freed() const { return freed_; }
  void note_freed() { freed_ = true; }
  /// What was planned with is not as it was: all are stale, and may lose their places in the next pass.
  void make_void();

  /// Replaces them, after a pass that has ranked them at `ranked`; of which `freed` says what note_freed
  /// does.
  void replace(store::Transaction& transaction, std::vector<sched::Reservation> reservations, double ranked,
               bool freed);
  /// Writes what was noted since, where no pass has.
  void write(store::Transaction& transaction);

 private:
  void write_ranked(store::Transaction& transaction, double ranked);

  std::vector<sched::Reservation> all_;
  std::vector<std::uint64_t> places_;  ///< where each is stored, ascending
  std::vector<bool> noted_;            ///< which differ from what is stored
  double ranked_ = 0;
  bool ranked_noted_ = false;
  bool freed_ = true;  ///< what another process has done is not known
};

}  // namespace fq::manager
