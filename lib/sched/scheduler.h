// The resource allocation protocol (RFC 27) as a C++ interface: the job manager on one side, a scheduler on
// the other. A scheduler sees values, never the store, and answers with values.
//
// One object serves one pass: hello, ready, then alloc in the order of priority, submit time and id until
// no job is left or the window that `ready` named is full, then finish. Time and priorities stand still
// during a pass, unless prioritize says otherwise.
//
//   job manager                            scheduler
//   hello(manager, now)              →     marks what is allocated
//   ready()                          ←     mode and limit
//   alloc(request)                   →     none, one or several AllocReply, for this request or earlier ones
//   cancel, prioritize, expiration, free   at any time after ready
//   finish()                         →     the last replies
//
// SUCCESS, DENY and CANCEL end a request; after ANNOTATE it stays outstanding. "Not now" is ANNOTATE or
// silence, "never" is DENY. Failures of a single request are replies; Error{unavailable} from any function
// means that the scheduler is gone: scheduling is suspended, running jobs are not touched.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "notation/fluid.h"
#include "sched/preemption.h"

namespace fq::sched {

class Pool;
class Timeline;

struct AllocRequest {
  notation::JobId id;
  std::uint32_t priority = 0;
  std::uint32_t userid = 0;
  double t_submit = 0;  ///< seconds since the epoch
  double t_order = 0;   ///< by which those of one priority are ordered, likewise: when its wait began
  document::ResourceCounts counts;
  double duration = 0;  ///< seconds; 0: no limit
  /// Others that differ in name, time and duration alone may be this much shorter: what could not start even
  /// then is true of all of them.
  double least_duration = 0;
  std::string constraint;  ///< RFC 31 text, the queue's included; empty: none
  std::string queue;       ///< empty: the anonymous queue
  double t_pending = 0;    ///< since when it asks with this urgency, seconds since the epoch
};

/// A job that holds resources when the scheduler starts.
struct HelloJob {
  notation::JobId id;
  std::uint32_t priority = 0;
  std::uint32_t userid = 0;
  double t_submit = 0;      ///< seconds since the epoch
  document::ResourceSet R;  ///< what it still holds; expiration 0: it may run for ever
};

/// The values are RFC 27's.
enum class AllocType : std::uint8_t { success = 0, annotate = 1, deny = 2, cancel = 3 };

struct AllocReply {
  notation::JobId id;
  AllocType type = AllocType::annotate;
  /// SUCCESS and ANNOTATE: a JSON object text, to be merged by merge_annotations, or empty: nothing new.
  std::string annotations;
  std::string note;  ///< DENY: why it can never be granted; else empty
  /// SUCCESS, and only then: concrete cores and GPUs. The job manager commits it together with the reply.
  std::optional<document::ResourceSet> R;
  /// ANNOTATE: the request waits for nodes that are down or drained, so that no other need wait for it. It
  /// holds a place in the window until the job manager cancels it to make room.
  bool passed_over = false;
  /// ANNOTATE: no other request of its class (records/job_class) can start in this pass either.
  bool for_class = false;
  /// ANNOTATE: in this pass nothing can be said of requests for what is not free, and need not be sent.
  bool only_what_fits = false;
  /// ANNOTATE: jobs that are preempted for it from now on.
  std::vector<Preemption> preempts;
  /// ANNOTATE: what is kept for it of what such jobs hold, and of what is free: it counts as if it had that.
  std::optional<document::ResourceSet> claims;

  friend bool operator==(const AllocReply&, const AllocReply&) = default;
};

struct Ready {
  enum class Mode : std::uint8_t { unlimited, limited };
  static constexpr std::uint32_t kLimitMax = 2147483647;

  Mode mode = Mode::unlimited;
  std::uint32_t limit = 0;  ///< limited: requests that may be outstanding, 1..kLimitMax

  friend bool operator==(const Ready&, const Ready&) = default;
};

struct ExpirationReply {
  /// `not_implemented` counts as accepted: the scheduler did not look.
  enum class Status : std::uint8_t { accepted, refused, not_implemented };

  Status status = Status::not_implemented;
  std::string reason;  ///< refused: why, for the user

  friend bool operator==(const ExpirationReply&, const ExpirationReply&) = default;
};

/// The job manager as a scheduler sees it. Valid for the whole pass.
class JobManager {
 public:
  virtual ~JobManager() = default;

  /// The inventory and what is allocated, down and drained of it now. Schedulers of queues that share nodes
  /// share it: what a SUCCESS gives is taken from it, and what `free` gives back returned to it, at once.
  [[nodiscard]] virtual Pool& pool() = 0;
  /// What is planned on them, shared likewise: it takes and gives back for the pool.
  [[nodiscard]] virtual Timeline& timeline() = 0;
  /// Visits every job that holds resources of the pool, other queues' included, in no particular order: the
  /// hello stream. Its allocations together are the pool's: what other queues started earlier in the pass is
  /// among them.
  virtual void for_each_job(const std::function<void(const HelloJob&)>& visit) const = 0;
  /// The jobspec of a job whose alloc request was sent, as JSON text; its environment may be left out.
  [[nodiscard]] virtual std::string jobspec(notation::JobId id) const = 0;
  /// The jobs that may be preempted for an outstanding request.
  [[nodiscard]] virtual PreemptibleJobs preemptible_for(const AllocRequest& /*request*/) { return {}; }
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// Its name in `policy.scheduler`.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Once, before all else. `now`, in seconds since the epoch, holds for the whole pass; `manager` outlives
  /// this object.
  virtual void hello(JobManager& manager, double now) = 0;
  /// Once, after hello.
  [[nodiscard]] virtual Ready ready() = 0;

  /// Asks for resources. REQUIRES that no request for the same job is outstanding and that the window has
  /// room. Returns the replies that became due, in the order in which they must take effect.
  [[nodiscard]] virtual std::vector<AllocReply> alloc(const AllocRequest& request) = 0;
  /// Ends an outstanding request; its CANCEL is among the replies, and replies that become possible may
  /// follow. Without an outstanding request: no reply. The job itself need not be canceled.
  [[nodiscard]] virtual std::vector<AllocReply> cancel(notation::JobId id) = 0;
  /// New priorities; ids without an outstanding request are ignored.
  [[nodiscard]] virtual std::vector<AllocReply> prioritize(
      std::span<const std::pair<notation::JobId, std::uint32_t>> jobs) = 0;
  /// Proposes a new end for a running job's allocation, in seconds since the epoch; 0: none. Its enforcement
  /// is not the scheduler's.
  [[nodiscard]] virtual ExpirationReply expiration(notation::JobId id, double expiration) = 0;
  /// Gives back `released`, all that the job holds or a part of it (whole ranks); `final` when nothing is
  /// left. Returns the replies that become possible; the return itself is the reply to this request.
  [[nodiscard]] virtual std::vector<AllocReply> free(notation::JobId id,
                                                     const document::ResourceSet& released, bool final) = 0;

  /// Waits for replies while the window is full. None: no more will come before the next request. Schedulers
  /// that reply at once have none.
  [[nodiscard]] virtual std::vector<AllocReply> wait() { return {}; }
  /// The pass is over: the last replies. No other call follows; requests still outstanding are dropped, and
  /// sent again in the next pass.
  [[nodiscard]] virtual std::vector<AllocReply> finish() { return {}; }
};

}  // namespace fq::sched
