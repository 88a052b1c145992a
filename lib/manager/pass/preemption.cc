#include "manager/pass/preemption.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/json.h"
#include "document/jobspec/requeue.h"
#include "job/events.h"
#include "manager/core/clock_text.h"
#include "manager/core/post.h"
#include "manager/pass/stored_reservations.h"
#include "priority/scheme.h"
#include "records/housekeeping.h"
#include "records/keys.h"
#include "records/signed_requests.h"
#include "records/turns.h"
#include "sched/factory.h"

namespace fq::manager {

using store::Family;

const std::vector<std::string>& PreemptionRules::of(const job::Job& job) {
  const auto [at, is_new] = known_.try_emplace({job.queue, job.qos});
  std::vector<std::string>& names = at->second;
  if (!is_new) return names;
  const document::QueueConfig* queue = queues_->find(queues_->served_by(job.queue));
  if (queue == nullptr) return names;
  if (!queue->policy.scheduler.empty()) {
    try {
      const auto parameters = sched::read_parameters(parse_json(queue->policy.scheduler, "scheduler"));
      // A program preempts nobody.
      if (!parameters.command.empty()) return names;
      names = parameters.preempt;
    } catch (const Error&) {
      // Of a later fq, for example: the pass suspends the queue.
      return names;
    }
  }
  const document::QosConfig qos = records::qos_of(*reader_, job.qos);
  names.insert(names.end(), qos.preempt.begin(), qos.preempt.end());
  if (name(names, job)) names.clear();
  return names;
}

bool PreemptionRules::name(const std::vector<std::string>& names, const job::Job& job) {
  const std::string_view qos = job.qos.empty() ? priority::kNormal : std::string_view{job.qos};
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return each == qos || each == job.queue || each == queues_->served_by(job.queue);
  });
}

void PreemptionCandidates::load() {
  loaded_ = true;
  std::vector<const job::Job*> jobs;
  for (const auto at = change_->transaction().scan_prefix(Family::index, records::key::kAllocationEndPrefix);
       at->valid(); at->next()) {
    const job::Job& job = change_->job(records::key::indexed_job(at->key()));
    if (job.preemption != job::Preemption::none) {
      ++under_way_[job.preempted_by];
    } else if (job.state == job::State::run) {
      jobs.push_back(&job);
    }
  }
  // What others gave back for it is not free before that is over.
  for (const records::Housekeeping& each : records::read_housekeepings(change_->transaction())) {
    if (each.preempted_by != JobId{}) ++under_way_[each.preempted_by];
  }
  std::sort(jobs.begin(), jobs.end(), [](const job::Job* a, const job::Job* b) {
    return std::tie(a->t_run, a->id) > std::tie(b->t_run, b->id);
  });
  for (const job::Job* job : jobs) running_.push_back({{job->id, {}}, {}});
}

bool PreemptionCandidates::comes_later(Running& running, const job::Job& asking,
                                       const sched::AllocRequest& request) {
  const job::Job& job = change_->job(running.of.id);
  records::Queues& queues = change_->queues();
  const auto* own = queues.scheduling(asking.queue);
  const auto* its = queues.scheduling(job.queue);
  if (own == nullptr) return false;
  if (its != nullptr && own->tier != its->tier) return own->tier > its->tier;
  const bool expedited = priority::is_expedited(asking.urgency);
  if (expedited != priority::is_expedited(job.urgency)) return expedited;
  records::PriorityFacts& facts = change_->priorities().facts();
  if (!expedited &&
      records::stream_of(facts.parameters(asking.queue)) != records::stream_of(facts.parameters(job.queue)))
    return false;
  if (!running.priority) {
    job::Job requeued = job;
    requeued.t_requeue = change_->now();
    requeued.number = std::numeric_limits<std::uint64_t>::max();
    running.priority = change_->priorities().of(requeued);
  }
  // Its wait would begin now, after that of any that waits.
  return request.priority >= *running.priority;
}

sched::PreemptibleJobs PreemptionCandidates::of(const sched::AllocRequest& request) {
  const job::Job& asking = change_->job(request.id);
  const std::vector<std::string>& names = rules_.of(asking);
  if (names.empty()) return {};
  if (!loaded_) load();
  sched::PreemptibleJobs found;
  if (const auto at = under_way_.find(request.id); at != under_way_.end()) found.under_way = at->second;
  for (Running& running : running_) {
    const job::Job& job = change_->job(running.of.id);
    if (!rules_.name(names, job) || !comes_later(running, asking, request)) continue;
    if (job.t_requeue > 0 && change_->now() < job.t_requeue + kPreemptionPause_s) {
      next_chance_ = std::min(next_chance_, job.t_requeue + kPreemptionPause_s);
      continue;
    }
    if (running.of.R.nodes().empty())
      running.of.R = document::ResourceSet::parse(
          change_->transaction().get(Family::kvs, records::key::r(job.id)).value_or(""));
    found.jobs.push_back(&running.of);
  }
  return found;
}

bool may_preempt(Change& change, const job::Job& job) {
  return !PreemptionRules(change.transaction(), change.queues()).of(job).empty();
}

namespace {

// What a user has signed runs again only as often as that says.
bool may_run_again(Change& change, JobId id) {
  const auto allowed = document::allowed_requeues(effective_jobspec(change, id));
  if (!allowed) return !records::read_signed_request(change.transaction(), id);
  return change.job(id).attempt <= *allowed;
}

}  // namespace

void preempt(Change& change, const sched::Preemption& preemption) {
  const JobId id = preemption.victim;
  change.reservations().ends_moved(change.resources(id).ranks());
  const bool cancels = preemption.rule.mode == sched::PreemptMode::cancel || !may_run_again(change, id);
  const auto mode = cancels ? job::Preemption::cancel : job::Preemption::requeue;
  post(change, id, job::events::preempt(change.now(), preemption.by, preemption.rule.grace_s, mode));
  if (preemption.rule.grace_s > 0) {
    change.effects().preempts.push_back(id);
  } else {
    end_grace(change, id);
  }
}

void end_grace(Change& change, JobId id) {
  const job::Job& job = change.job(id);
  if (job.preemption == job::Preemption::cancel) {
    post(change, id,
         job::events::exception(change.now(), "preempt", 0,
                                fmt::format("preempted for job {}", job.preempted_by)));
  } else {
    post(change, id, job::events::requeue(change.now(), change.take_number()));
  }
}

std::string requeue_text(const job::Job& job) {
  if (job.preemption == job::Preemption::none) return "its prolog has failed, and it will wait again";
  return fmt::format("it is preempted for job {} and will wait again once its tasks have ended",
                     job.preempted_by);
}

std::string preemption_text(const job::Job& job) {
  return fmt::format("it is preempted for job {} and will be {} at {}", job.preempted_by,
                     job.preemption == job::Preemption::cancel ? "canceled" : "requeued",
                     clock_text(job.t_preempt));
}

}  // namespace fq::manager
