// The built-in schedulers. Each gives what is free in the order of requests, and differs in what it does once
// one cannot start:
//   fcfs          it blocks all later ones. Where other queues share its nodes, something is reserved for it
//   easy          a time is reserved for it, and later ones start before that where they do not delay it
//   conservative  the same, for as many requests as `reservation-depth` says
// A request that could not start on the nodes now up, were they free, is passed over instead: nothing can be
// reserved for it.
//
// Where one may preempt running jobs, and could not start within their grace otherwise, it does: what these
// hold is reserved for it from now on, however much `reservation-depth` allows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/node_choice.h"
#include "sched/scheduler.h"
#include "sched/timeline.h"

namespace fq::sched {

/// What makes one of them.
struct Discipline {
  std::string_view name;
  bool backfills = true;
  /// Whether a reservation is a promise: it stays where it is, and no running job is prolonged into it.
  bool promises = false;
  std::uint32_t queue_depth = 1;        ///< requests that are looked at and wait
  std::uint32_t reservation_depth = 1;  ///< of these, for how many something is reserved
  MatchPolicy match = MatchPolicy::pack;
  PreemptRule preempt;  ///< for whom the job manager knows jobs that may be preempted
};

class Backfill final : public Scheduler {
 public:
  /// `queue`: that it serves, whose reservations are its own.
  explicit Backfill(const Discipline& discipline, std::string queue)
      : discipline_(discipline), of_(std::move(queue)) {}

  [[nodiscard]] std::string_view name() const override { return discipline_.name; }
  void hello(JobManager& manager, double now) override;
  /// Limited to queue_depth requests.
  [[nodiscard]] Ready ready() override;
  [[nodiscard]] std::vector<AllocReply> alloc(const AllocRequest& request) override;
  [[nodiscard]] std::vector<AllocReply> cancel(notation::JobId id) override;
  [[nodiscard]] std::vector<AllocReply> prioritize(
      std::span<const std::pair<notation::JobId, std::uint32_t>> jobs) override;
  /// Refused where a promise would be broken; else not looked at.
  [[nodiscard]] ExpirationReply expiration(notation::JobId id, double expiration) override;
  [[nodiscard]] std::vector<AllocReply> free(notation::JobId id, const document::ResourceSet& released,
                                             bool final) override;

 private:
  /// An outstanding request and the annotations last sent for it.
  struct Waiting {
    AllocRequest request;
    std::string said;
    bool passed_over = false;  ///< the others are as if it were not there
  };

  /// The reply that is due now; for ANNOTATE the request goes on waiting.
  [[nodiscard]] AllocReply reply_to(const AllocRequest& request);
  /// Of a request that cannot start: what is reserved for it, and said.
  void wait_for(const AllocRequest& request, AllocReply& reply);
  /// Whether jobs are preempted for it, from now on or already. `reservation` is what is reserved for it,
  /// then and else; null: nothing.
  bool preempt_for(const AllocRequest& request, const Reservation*& reservation, AllocReply& reply);
  /// Tries the outstanding requests in their order, all or but the last; adds what is new to `replies`.
  void schedule(std::vector<AllocReply>& replies);
  void schedule_last(std::vector<AllocReply>& replies);
  /// What has become of one; false when it is no longer outstanding.
  bool take(Waiting& waiting, std::vector<AllocReply>& replies);

  Discipline discipline_;
  std::string of_;
  double now_ = 0;
  JobManager* manager_ = nullptr;
  Timeline* timeline_ = nullptr;
  std::map<notation::JobId, std::size_t> preempting_;  ///< how many in this pass, by request
  std::vector<Waiting> queue_;                         ///< by priority, submit time, id
  bool has_head_ = false;  ///< one of them waits, and for a time that is known or reserved
  bool blocked_ = false;   ///< none of them may start behind the first that could not
};

}  // namespace fq::sched
