#include "manager/pass/schedule_pass.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "document/resource/resource_set.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/jobs/memo.h"
#include "manager/look/priority_overview.h"
#include "manager/pass/group_requests.h"
#include "manager/pass/group_reservations.h"
#include "manager/pass/pass_source.h"
#include "manager/pass/period_timer.h"
#include "manager/pass/preemption.h"
#include "manager/pass/queue_schedulers.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/pass/stored_reservations.h"
#include "manager/run/start.h"
#include "manager/site/advance_reservation.h"
#include "manager/site/queue_admin.h"
#include "records/keys.h"
#include "records/pending_order.h"
#include "sched/annotations.h"
#include "sched/pass.h"

namespace fq::manager {

using store::Family;

namespace {

// The classes of queues that share nodes, as far as they may start, by the group's number.
using Groups = std::map<std::uint32_t, records::JobClasses>;

// Whether what an inventory has may be given to jobs (RFC 20); at its very end they would have no time.
bool holds(const document::ResourceSet& inventory, double now) {
  return inventory.valid_at(now) && now != inventory.expiration;
}

// What a pass has to look at.
struct Pending {
  Groups groups;
  /// When time alone may change what starts: the next period of a queue that has jobs here, month of a
  /// budget, or end of an advance reservation.
  double next_boundary = std::numeric_limits<double>::infinity();
  /// The same, also where nothing is free: a job may be preempted then that may not yet.
  double next_preemption = std::numeric_limits<double>::infinity();
};

// Groups share no nodes, so none waits for another. Classes go where they belong as they are read: there may
// be many.
Pending pending_jobs(Change& change) {
  records::Queues& queues = change.queues();
  Pending pending;
  const priority::Parameters* last = nullptr;
  records::visit_classes(change.transaction(), [&](records::JobClass&& c) {
    if (!records::is_eligible(queues, c)) return;
    const priority::Parameters* of_queue = &change.priorities().facts().parameters(c.queue);
    if (of_queue != last)
      pending.next_boundary = std::min(pending.next_boundary, next_boundary(*of_queue, change.now()));
    last = of_queue;
    pending.groups[queues.scheduling(c.queue)->group].push_back(std::move(c));
  });
  return pending;
}

// The queue stops until somebody sees to it, or the next try of an external scheduler.
void suspend(Change& change, const sched::Suspension& suspension) {
  document::QueueState state = change.queues().state(suspension.queue);
  state.suspended = suspension.reason;
  records::write_queue_state(change.transaction(), suspension.queue, state);
  document::Event event;
  event.timestamp = change.now();
  event.name = "queue-suspend";
  event.context = {{"queue", suspension.queue}, {"reason", suspension.reason}};
  records::log_instance_event(change.transaction(), event);
  if (is_external(change.queues(), suspension.queue)) plan_retry(change, suspension.queue);
}

// The scheduler of a queue that was suspended serves it again.
void log_resumption(Change& change, const std::string& queue) {
  document::Event event;
  event.timestamp = change.now();
  event.name = "queue-resume";
  event.context = {{"queue", queue}};
  records::log_instance_event(change.transaction(), event);
}

// What a pass has decided becomes part of the change.
class Decisions {
 public:
  /// Adds the jobs that are annotated to `annotated`.
  Decisions(Change& change, std::set<JobId>& annotated) : change_(change), annotated_(annotated) {}

  void carry_out(const sched::PassResult& result) {
    for (const sched::AllocReply& reply : result.decisions) {
      switch (reply.type) {
        case sched::AllocType::annotate:
          annotate(reply);
          break;
        case sched::AllocType::success:
          start_job(change_, reply.id, *reply.R, annotations(reply));
          break;
        case sched::AllocType::deny:
          post(change_, reply.id, job::events::exception(change_.now(), "alloc", 0, reply.note));
          break;
        case sched::AllocType::cancel:
          break;
      }
    }
    for (const sched::Preemption& preemption : result.preemptions) preempt(change_, preemption);
    for (const sched::Suspension& suspension : result.suspensions) suspend(change_, suspension);
    if (!result.complete) change_.effects().pass_unfinished = true;
  }

 private:
  // All that is known of the job now, its user's notes included: what `alloc` keeps (RFC 27).
  [[nodiscard]] std::string annotations(const sched::AllocReply& reply) {
    std::string all =
        merged(change_.transaction().get(Family::instance, records::key::annotation(reply.id)).value_or(""),
               reply.annotations);
    const std::string breakdown = breakdown_annotation(change_.priorities().explain(change_.job(reply.id)));
    if (!breakdown.empty()) all = sched::merge_annotations(all, breakdown);
    const std::string memo = full_memo(change_.transaction(), change_.job(reply.id));
    return memo.empty() ? all : sched::merge_annotations(all, fmt::format(R"({{"user":{}}})", memo));
  }

  // The first jobs of many classes mostly wait for the same, and did so at the last pass.
  const std::string& merged(const std::string& before, const std::string& update) {
    if (merged_.result.empty() || merged_.before != before || merged_.update != update)
      merged_ = {before, update, sched::merge_annotations(before, update)};
    return merged_.result;
  }

  void annotate(const sched::AllocReply& reply) {
    annotated_.insert(reply.id);
    const std::string key = records::key::annotation(reply.id);
    const std::string before = change_.transaction().get(Family::instance, key).value_or("");
    const std::string& after = merged(before, reply.annotations);
    if (after == before) return;
    if (after.empty()) {
      change_.transaction().erase(Family::instance, key);
    } else {
      change_.transaction().put(Family::instance, key, after);
    }
  }

  Change& change_;
  std::set<JobId>& annotated_;
  struct Merged {
    std::string before, update, result;
  };
  Merged merged_;  ///< the last one
};

// Whether other queues have nodes of this group, too.
bool is_shared(records::Queues& queues, std::uint32_t group) {
  std::set<std::string> serving;
  for (const std::string& name : queues.names()) {
    if (queues.scheduling(name)->group == group) serving.insert(queues.served_by(name));
  }
  return serving.size() > 1;
}

// A group and the classes of its jobs.
using Group = Groups::value_type;

// Notes when time alone lets jobs start that limits hold back, or that wait for others to be preempted.
void serve_group(Change& change, Group& group, GroupReservations& reservations, std::set<JobId>& annotated,
                 Pending& pending) {
  const std::vector<sched::Reservation> kept = reservations.of(group.first);
  PassSource source(change, kept, is_shared(change.queues(), group.first));
  if (!change.reservations().freed()) source.timeline().nothing_was_freed();
  GroupRequests requests(change, std::move(group.second), source.timeline());
  std::set<std::string> served;
  const auto make = [&](const std::string& queue) {
    served.insert(queue);
    return scheduler_of(change, queue);
  };
  sched::PassResult result = sched::run_pass(requests, make, source, change.now(), change.room_to_start());
  std::ranges::move(requests.take_held_back(), std::back_inserter(result.decisions));
  requests.write_turns();
  reservations.add(source.timeline().reservations(result.complete));
  Decisions(change, annotated).carry_out(result);
  for (const sched::Suspension& each : result.suspensions) served.erase(each.queue);
  for (const std::string& queue : served) {
    if (forget_retry(change.transaction(), queue)) log_resumption(change, queue);
  }
  pending.next_boundary = std::min({pending.next_boundary, requests.next_chance(), reservations.next_end()});
  if (source.timeline().withstood()) {
    for (const sched::Reservation& each : kept)
      pending.next_boundary = std::min(pending.next_boundary, reservations.next_rank(each.queue));
  }
  pending.next_preemption = std::min(pending.next_preemption, source.next_preemption());
  if (!result.suspensions.empty()) change.forget_queues();
}

// What was said of jobs that the scheduler no longer looks at is not true any more: others come before them
// now, or they are held. Few jobs are annotated: the first of their classes at most.
void discard_stale_annotations(Change& change, const std::set<JobId>& annotated) {
  std::vector<std::string> stale;
  for (const auto at = change.transaction().scan_prefix(Family::instance, records::key::kAnnotationPrefix);
       at->valid(); at->next()) {
    if (!annotated.contains(records::key::indexed_job(at->key()))) stale.emplace_back(at->key());
  }
  for (const std::string& key : stale) change.transaction().erase(Family::instance, key);
}

}  // namespace

sched::AllocRequest alloc_request(const job::Job& job, std::uint32_t priority) {
  return {job.id,       priority,     job.userid,     job.t_submit, job.t_submit, job.counts,
          job.duration, job.duration, job.constraint, job.queue,    job.t_sched};
}

sched::ExpirationReply propose_expiration(Change& change, const job::Job& job, double expiration) {
  using Status = sched::ExpirationReply::Status;
  if (auto text = run_into(change, job, expiration)) return {Status::refused, *std::move(text)};
  if (change.queues().find(job.queue) == nullptr) return {};
  try {
    GroupReservations reservations(change);
    PassSource source(change, reservations.of(change.queues().scheduling(job.queue)->group), false);
    const auto scheduler = scheduler_of(change, change.queues().served_by(job.queue));
    scheduler->hello(source, change.now());
    return scheduler->expiration(job.id, expiration);
  } catch (const std::exception& failure) {
    return {Status::refused, suspension_text(failure.what())};
  }
}

void schedule_pass(Change& change) {
  std::uint64_t before = 0;
  do {
    before = change.newly_pending();
    change.write_back();
    if (!change.pass_is_due()) return change.keep_reservations();
    std::set<JobId> annotated;
    Pending pending = pending_jobs(change);
    Groups& groups = pending.groups;
    // While the inventory does not hold, jobs wait for its start, of which there is a timer, or for another
    // one.
    if (!groups.empty() && !holds(change.pool().inventory(), change.now())) return change.keep_reservations();
    GroupReservations reservations(change);
    for (Group& group : groups) {
      if (change.effects().pass_unfinished) {
        reservations.add(reservations.of(group.first));
      } else {
        serve_group(change, group, reservations, annotated, pending);
      }
    }
    reservations.write();
    if (!groups.empty())
      pending.next_boundary = std::min(pending.next_boundary, end_of_first_reservation(change));
    if (!change.effects().pass_unfinished)
      set_period_timer(change, pending.next_boundary, pending.next_preemption);
    if (!change.effects().pass_unfinished) discard_stale_annotations(change, annotated);
  } while (change.newly_pending() != before && !change.effects().pass_unfinished);
}

}  // namespace fq::manager
