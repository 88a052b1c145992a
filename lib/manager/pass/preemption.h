// Preemption: running jobs give back what they hold for one that could not start otherwise. The scheduler
// chooses whom of those that are named here (sched/preemption); this says who may be, and carries it out:
//
//   preempt          the job is told by a signal, and has its time of grace
//   ... grace ...    a timer of the store; what the job does by itself meanwhile counts, if it succeeds
//   requeue          it ends its tasks, and is pending anew once it holds nothing any more; or
//   exception        of type `preempt`: it is over
//
// Whose jobs may be preempted say the queue of the job that waits (`policy.scheduler.preempt`) and its
// quality of service (`qos.NAME.preempt`), together. A job that is named there itself preempts nobody. Only
// jobs are preempted that would come later in the order if they were requeued now, and none within a minute
// of its last requeue.

#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/core/change.h"
#include "sched/preemption.h"
#include "sched/scheduler.h"

namespace fq::manager {

/// A job is not preempted again so soon after it was requeued, seconds.
inline constexpr double kPreemptionPause_s = 60;

/// Whom the jobs of a store may preempt, as configured.
class PreemptionRules {
 public:
  /// Both outlive this.
  PreemptionRules(const store::Reader& reader, records::Queues& queues)
      : reader_(&reader), queues_(&queues) {}

  /// The names for a job; none where it preempts nobody. Valid while this is.
  [[nodiscard]] const std::vector<std::string>& of(const job::Job& job);
  /// Whether these name the job.
  [[nodiscard]] bool name(const std::vector<std::string>& names, const job::Job& job);

 private:
  const store::Reader* reader_;
  records::Queues* queues_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> known_;  ///< by queue and QoS
};

/// The jobs that may be preempted in a pass.
class PreemptionCandidates {
 public:
  /// `change` outlives this; what has changed is written back.
  explicit PreemptionCandidates(Change& change)
      : change_(&change), rules_(change.transaction(), change.queues()) {}

  /// For a request. What it points to is valid while this is.
  [[nodiscard]] sched::PreemptibleJobs of(const sched::AllocRequest& request);
  /// When a job that may not be preempted again yet may be; infinity where there is none.
  [[nodiscard]] double next_chance() const { return next_chance_; }

 private:
  struct Running {
    sched::Preemptible of;
    std::optional<std::uint32_t> priority;  ///< if it was requeued now
  };

  void load();
  /// Whether the job, requeued now, would come after the one that asks.
  [[nodiscard]] bool comes_later(Running& running, const job::Job& asking,
                                 const sched::AllocRequest& request);

  Change* change_;
  PreemptionRules rules_;
  bool loaded_ = false;
  std::vector<Running> running_;            ///< the youngest first
  std::map<JobId, std::size_t> under_way_;  ///< how many, by whom they are preempted for
  double next_chance_ = std::numeric_limits<double>::infinity();
};

/// Whether the job may preempt others at all.
[[nodiscard]] bool may_preempt(Change& change, const job::Job& job);
/// Carries out a decision of the pass.
void preempt(Change& change, const sched::Preemption& preemption);
/// The grace of a preempted job is over, or it failed in it. REQUIRES one that runs.
void end_grace(Change& change, JobId id);

/// What a preempted job is told, and for whom: `it is preempted for job ƒ…`.
[[nodiscard]] std::string preemption_text(const job::Job& job);
/// Why a job that has not ended yet will wait again. REQUIRES one that requeues.
[[nodiscard]] std::string requeue_text(const job::Job& job);

}  // namespace fq::manager
