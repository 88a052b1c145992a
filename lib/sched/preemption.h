// Taking back what running jobs hold, for a request that could not start otherwise
// (`policy.scheduler.preempt`). Who may be preempted for whom is the job manager's to say; which of these are
// is chosen here: the youngest first, and none that is not needed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "document/resource/resource_set.h"
#include "notation/fluid.h"

namespace fq::sched {

/// What becomes of a job that is preempted.
enum class PreemptMode : std::uint8_t { requeue, cancel };

/// How a queue's jobs preempt others.
struct PreemptRule {
  PreemptMode mode = PreemptMode::requeue;
  double grace_s = 0;  ///< how long a job that is told of it may go on

  friend bool operator==(const PreemptRule&, const PreemptRule&) = default;
};

/// A running job that may be preempted.
struct Preemptible {
  notation::JobId id;
  document::ResourceSet R;
};

/// What may be taken back for a request.
struct PreemptibleJobs {
  std::size_t under_way = 0;  ///< jobs that are being preempted for it already and hold something yet
  /// The youngest first. Not null; valid for the whole pass.
  std::vector<const Preemptible*> jobs;

  [[nodiscard]] bool empty() const { return under_way == 0 && jobs.empty(); }
};

/// A decision: what `victim` holds is taken back for job `by`.
struct Preemption {
  notation::JobId victim, by;
  PreemptRule rule;

  friend bool operator==(const Preemption&, const Preemption&) = default;
};

}  // namespace fq::sched
