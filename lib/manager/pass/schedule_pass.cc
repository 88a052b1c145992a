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
#include "manager/pass/consultation.h"
#include "manager/pass/consultation_due.h"
#include "manager/pass/group_requests.h"
#include "manager/pass/group_reservations.h"
#include "manager/pass/pass_source.h"
#include "manager/pass/pending_groups.h"
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

// What a program was not asked, and time alone has brought since, it is asked so many seconds later: not at
// once, or it would be asked without end where that is never the same.
constexpr double kAgain_s = 1;

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

// The queues whose schedulers are programs that have not been asked: a pass without answers of theirs leaves
// them out, and where there is anything new, notes that they are to be asked. Until then queues of lower
// tiers that share their nodes wait, too.
class LeftOut {
 public:
  LeftOut(Change& change, bool anything_new) : change_(change), anything_new_(anything_new) {}

  /// Takes their jobs out of a group; false where none are.
  bool take_out(records::JobClasses& classes) {
    const std::string* last = nullptr;
    bool any = false;
    for (const records::JobClass& c : classes) {
      if (last == nullptr || *last != c.queue) any = is_program(c.queue) || any;
      last = &c.queue;
    }
    if (!any) return false;
    const int tier = awaited_tier(classes);
    std::erase_if(classes, [&](const records::JobClass& c) {
      if (!is_program(c.queue) && tier_of(c) >= tier) return false;
      queues_.insert(c.queue);
      return true;
    });
    return true;
  }
  [[nodiscard]] bool empty() const { return queues_.empty(); }
  /// Whether what was said of a job holds on: it waits for one of these.
  [[nodiscard]] bool concerns(const job::Job& job) const {
    return job.state == job::State::sched && job.urgency != job::kUrgencyHold && queues_.contains(job.queue);
  }

 private:
  bool is_program(const std::string& queue) {
    const std::string& serving = change_.queues().served_by(queue);
    const auto [at, is_new] = programs_.try_emplace(serving);
    if (!is_new) return at->second;
    at->second = is_consulted(change_, serving) && !has_answers(change_, serving);
    if (at->second && anything_new_) note_consultation(change_, serving);
    return at->second;
  }
  [[nodiscard]] int tier_of(const records::JobClass& c) const {
    return change_.queues().scheduling(c.queue)->tier;
  }
  // The highest of those that are to be asked; 0 where none are.
  [[nodiscard]] int awaited_tier(const records::JobClasses& classes) {
    const auto due = consultation_due(change_.transaction());
    int tier = 0;
    for (const records::JobClass& c : classes) {
      if (due && is_program(c.queue) && due->since.contains(change_.queues().served_by(c.queue)))
        tier = std::max(tier, tier_of(c));
    }
    return tier;
  }

  Change& change_;
  bool anything_new_;
  std::map<std::string, bool> programs_;  ///< by the queue that they serve
  std::set<std::string> queues_;
};

// A group and the classes of its jobs.
using Group = Groups::value_type;

// Notes when time alone lets jobs start that limits hold back, or that wait for others to be preempted.
// `whole`: no jobs of it are left out.
void serve_group(Change& change, Group& group, bool whole, GroupReservations& reservations,
                 std::set<JobId>& annotated, Pending& pending) {
  const std::vector<sched::Reservation> kept = reservations.of(group.first);
  PassSource source(change, kept, is_shared(change.queues(), group.first));
  if (!change.reservations().freed()) source.timeline().nothing_was_freed();
  GroupRequests requests(change, std::move(group.second), source.timeline());
  std::set<std::string> served;
  const auto missed = [&] {
    pending.next_boundary = std::min(pending.next_boundary, change.now() + kAgain_s);
  };
  const auto make = [&](const std::string& queue) {
    served.insert(queue);
    auto answers = take_answers(change, queue, missed);
    return answers ? std::move(answers) : scheduler_of(change, queue);
  };
  sched::PassResult result = sched::run_pass(requests, make, source, change.now(), change.room_to_start());
  std::ranges::move(requests.take_held_back(), std::back_inserter(result.decisions));
  requests.write_turns();
  reservations.add(source.timeline().reservations(result.complete && whole));
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
void discard_stale_annotations(Change& change, const std::set<JobId>& annotated, LeftOut& left_out) {
  std::vector<std::string> stale;
  for (const auto at = change.transaction().scan_prefix(Family::instance, records::key::kAnnotationPrefix);
       at->valid(); at->next()) {
    const JobId id = records::key::indexed_job(at->key());
    if (annotated.contains(id)) continue;
    const job::Job* job = left_out.empty() ? nullptr : change.find_job(id);
    if (job != nullptr && left_out.concerns(*job)) continue;
    stale.emplace_back(at->key());
  }
  for (const std::string& key : stale) change.transaction().erase(Family::instance, key);
}

}  // namespace

sched::AllocRequest alloc_request(const job::Job& job, std::uint32_t priority) {
  return {job.id,       priority,     job.userid,     job.t_submit, job.t_submit, job.counts,
          job.duration, job.duration, job.constraint, job.queue,    job.t_sched};
}

void schedule_pass(Change& change) {
  std::uint64_t before = 0;
  bool anything_new = !change.is_untouched();
  do {
    before = change.newly_pending();
    change.write_back();
    if (!change.pass_is_due()) return change.keep_reservations();
    std::set<JobId> annotated;
    Pending pending = pending_jobs(change);
    Groups& groups = pending.groups;
    // While the inventory does not hold, jobs wait for its start, of which there is a timer, or for another
    // one.
    if (!groups.empty() && !inventory_holds(change)) return change.keep_reservations();
    GroupReservations reservations(change);
    LeftOut left_out(change, anything_new);
    for (Group& group : groups) {
      const bool whole = !left_out.take_out(group.second);
      if (change.effects().pass_unfinished || group.second.empty()) {
        reservations.add(reservations.of(group.first));
      } else {
        serve_group(change, group, whole, reservations, annotated, pending);
      }
    }
    reservations.write();
    forget_answers(change);
    anything_new = true;
    if (!groups.empty())
      pending.next_boundary = std::min(pending.next_boundary, end_of_first_reservation(change));
    // What time lets start of those left out was not looked at.
    if (!left_out.empty())
      pending.next_preemption = std::min(pending.next_preemption, time_of_period_timer(change.transaction()));
    if (!change.effects().pass_unfinished)
      set_period_timer(change, pending.next_boundary, pending.next_preemption);
    if (!change.effects().pass_unfinished) discard_stale_annotations(change, annotated, left_out);
  } while (change.newly_pending() != before && !change.effects().pass_unfinished);
}

}  // namespace fq::manager
