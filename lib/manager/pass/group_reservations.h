// What the last pass reserved for jobs of a group of queues, as this one finds it: whose jobs may still
// start, with nodes that are up, or are to come back within the hour; and whether a period of their queue has
// begun since, so that they may lose their places to jobs that waited and have come to be before theirs.

#pragma once

#include <limits>
#include <string>
#include <vector>

#include "manager/core/change.h"
#include "sched/timeline.h"

namespace fq::manager {

/// For so long nodes of a reservation may be down, or drained, before it is given up; seconds.
inline constexpr double kReservationOutlivesDown = 3600;

class GroupReservations {
 public:
  explicit GroupReservations(Change& change) : change_(change) {}

  /// Those for jobs of a group that may start, in the order made.
  [[nodiscard]] std::vector<sched::Reservation> of(std::uint32_t group);
  /// When time alone gives one up whose nodes are down; infinity where there is none.
  [[nodiscard]] double next_end() const { return next_end_; }
  /// When those of the queue may lose their places next.
  [[nodiscard]] double next_rank(const std::string& queue);

  /// What a pass over a group leaves.
  void add(std::vector<sched::Reservation> made);
  /// Stores them for the next one.
  void write();

 private:
  /// Whether a period of the queue has begun since they could lose their places last.
  [[nodiscard]] bool rank_anew(const std::string& queue);
  /// Notes which nodes are down; false where it is given up for that.
  [[nodiscard]] bool outlives_down(sched::Reservation& reservation, const job::Job& job);

  Change& change_;
  std::vector<sched::Reservation> made_;
  double next_end_ = std::numeric_limits<double>::infinity();
  bool ranked_ = false;
};

}  // namespace fq::manager
