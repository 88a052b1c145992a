// What the schedulers of a group of queues ask of the job manager in a pass: the pool of their nodes, what is
// planned on it, and the jobs that hold something of it, as the transaction sees them.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manager/core/change.h"
#include "manager/pass/preemption.h"
#include "sched/scheduler.h"
#include "sched/timeline.h"
#include "store/transaction.h"

namespace fq::manager {

class PassSource final : public sched::JobManager {
 public:
  /// `change` outlives this; what has changed is written back. `kept`: what is reserved for jobs of the
  /// group. `shared`: several queues share its nodes.
  PassSource(Change& change, std::vector<sched::Reservation> kept, bool shared);

  [[nodiscard]] sched::Pool& pool() override { return pool_; }
  [[nodiscard]] sched::Timeline& timeline() override { return timeline_; }
  void for_each_job(const std::function<void(const sched::HelloJob&)>& visit) const override;
  [[nodiscard]] std::string jobspec(JobId id) const override;
  [[nodiscard]] sched::PreemptibleJobs preemptible_for(const sched::AllocRequest& request) override {
    return preemption_.of(request);
  }
  /// When a job may be preempted that may not yet; infinity where there is none.
  [[nodiscard]] double next_preemption() const { return preemption_.next_chance(); }

 private:
  [[nodiscard]] std::optional<sched::AllocationEnd> next_end();

  Change* change_;
  sched::Pool pool_;  ///< the pass's own: what it decides is the change's only when it is done
  std::unique_ptr<store::Cursor> ends_;  ///< of jobs; opened when first asked for
  /// Of housekeeping, by time; as of then.
  std::deque<sched::AllocationEnd> other_ends_;
  sched::Timeline timeline_;
  PreemptionCandidates preemption_;
};

}  // namespace fq::manager
