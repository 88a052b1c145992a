// The scheduling pass as a function: pending requests in their order and a pool go in, decisions come out. It
// touches neither store, locks nor clock, so that the simulator and tests run what the job manager runs.
//
// Each queue is served by a scheduler of its own, independently (RFC 33): a request that cannot start holds
// back later ones of its queue as that scheduler says, and none of other queues. They share one pool, from
// which each takes what it gives, in the one order in which requests come.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/scheduler.h"

namespace fq::sched {

/// The jobs that may start, by tier, priority, submit time and id.
class PendingRequests {
 public:
  virtual ~PendingRequests() = default;

  /// The next request; nothing at the end.
  [[nodiscard]] virtual std::optional<AllocRequest> next() = 0;
  /// The queue that serves the last request: its own, or the parent of a virtual one. Valid until `next`.
  [[nodiscard]] virtual const std::string& served_by() const = 0;
  /// What has become since the last call of requests that it gave.
  struct News {
    std::vector<notation::JobId> withdrawn;  ///< they are no longer made
    std::vector<std::pair<notation::JobId, std::uint32_t>> priorities;
    [[nodiscard]] bool empty() const { return withdrawn.empty() && priorities.empty(); }
  };
  [[nodiscard]] virtual News news() { return {}; }
  /// A request was answered with SUCCESS: what it got counts for what `next` gives from now on.
  virtual void started(const AllocReply& /*reply*/) {}
  /// Others are preempted for a request, now or since an earlier pass: what it claims counts likewise.
  virtual void claimed(const AllocReply& /*reply*/) {}
  /// Leaves out what remains of the class that the last request came from.
  virtual void skip_class() = 0;
  /// May leave out, of the queue that serves the last request, what could start were its nodes free, and are
  /// not, if it preempts nobody.
  virtual void skip_what_does_not_fit() {}
  /// Leaves out what remains of the queue that serves the last request.
  virtual void skip_queue() = 0;
};

/// A queue whose scheduler threw. What it had decided before that stands.
struct Suspension {
  std::string queue;
  std::string reason;
};

struct PassResult {
  /// SUCCESS, DENY and ANNOTATE, in the order in which they must take effect.
  std::vector<AllocReply> decisions;
  std::vector<Preemption> preemptions;
  std::vector<Suspension> suspensions;
  /// False where `most_starts` were reached: others may start, too.
  bool complete = true;
};

/// The scheduler of a queue. What it throws suspends the queue.
using MakeScheduler = std::function<std::unique_ptr<Scheduler>(const std::string& queue)>;

/// One pass at `now`, seconds since the epoch. Asks for no more once `most_starts` jobs have started; what is
/// outstanding then may start, too.
[[nodiscard]] PassResult run_pass(PendingRequests& pending, const MakeScheduler& make_scheduler,
                                  JobManager& manager, double now, std::size_t most_starts);

}  // namespace fq::sched
