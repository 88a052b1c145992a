#include "manager/pass/group_requests.h"

#include <algorithm>

#include "base/file.h"
#include "document/jobspec/duration_bucket.h"
#include "manager/pass/queue_schedulers.h"
#include "manager/pass/schedule_pass.h"
#include "meeting/liveness.h"
#include "sched/annotations.h"

namespace fq::manager {
namespace {

// Of so many classes it is said why their jobs wait: to say so costs more than to look, and few are read.
constexpr std::size_t kMostTold = 256;
// Of a user's classes so many are looked at while others wait, too: fewer than a queue looks at.
constexpr std::size_t kMostOfUser = 100;

std::set<std::string> serving(records::Queues& queues, const records::JobClasses& classes) {
  std::set<std::string> result;
  const std::string* last = nullptr;
  for (const records::JobClass& c : classes) {
    if (last == nullptr || *last != c.queue) result.insert(queues.served_by(c.queue));
    last = &c.queue;
  }
  return result;
}

}  // namespace

GroupRequests::GroupRequests(Change& change, records::JobClasses group, sched::Timeline& timeline)
    : change_(change),
      timeline_(timeline),
      matcher_(timeline.matcher()),
      queues_(serving(change.queues(), group)),
      of_one_user_(std::ranges::all_of(
          group, [&](const records::JobClass& c) { return c.userid == group.front().userid; })),
      order_(change.transaction(), change.queues(), std::move(group), change.now(),
             records::TurnAfter::started),
      limits_(change.transaction(), change.queues(), change.now(), &timeline.pool()),
      rules_(change.transaction(), change.queues()) {
  for (const JobId id : timeline_.unasked()) {
    const job::Job& job = change_.job(id);
    if (limits_.concern(job) && limits_.reached(job)) timeline_.drop(id);
  }
}

std::optional<sched::AllocRequest> GroupRequests::next() {
  while (left_out_.size() < queues_.size()) {
    const auto entry = order_.next();
    if (!entry) break;
    const records::JobClass& c = *entry->job_class;
    served_by_ = change_.queues().served_by(c.queue);
    if (left_out_.contains(served_by_) || does_not_fit(c) || user_has_enough(c) || limits_hold_back(*entry) ||
        is_passed_over(c)) {
      order_.skip_class();
      continue;
    }
    const job::Job& job = change_.job(entry->id);
    if (is_leaving(job)) continue;
    sched::AllocRequest request = alloc_request(job, order_.priorities().of(job));
    request.t_order = static_cast<double>(entry->time) * 1e-6;
    request.least_duration = document::least_duration(c.duration_bucket);
    return request;
  }
  return std::nullopt;
}

bool GroupRequests::user_has_enough(const records::JobClass& c) {
  if (of_one_user_ || !examined_.insert(&c).second) return false;
  return ++examined_of_[c.userid] > kMostOfUser;
}

const job::Job& GroupRequests::like(const records::JobClass& c) {
  first_.userid = c.userid;
  first_.queue = c.queue;
  first_.bank = c.bank;
  first_.qos = c.qos;
  return first_;
}

bool GroupRequests::limits_hold_back(const Entry& entry) {
  const records::JobClass& c = *entry.job_class;
  if (!limits_.concern(like(c))) return false;
  const auto reached = limits_.reached(change_.job(entry.id));
  if (!reached) return false;
  give_up_reserved(c);
  if (held_back_.size() < kMostTold) {
    sched::AllocReply& reply = held_back_.emplace_back();
    reply.id = entry.id;
    reply.annotations = sched::pending_annotations(*reached);
  }
  return true;
}

void GroupRequests::give_up_reserved(const records::JobClass& c) {
  for (const JobId id : timeline_.unasked()) {
    if (records::class_of(change_.job(id)).id == c.id) timeline_.drop(id);
  }
}

bool GroupRequests::is_passed_over(const records::JobClass& c) {
  const auto [at, is_new] = external_.try_emplace(served_by_);
  if (is_new) at->second = is_external(change_.queues(), served_by_);
  if (at->second) return false;
  like_.counts = c.counts;
  like_.constraint = c.constraint;
  // What can never start is for the scheduler to deny.
  if (matcher_.check_feasible(like_) || matcher_.fits_usable(like_)) return false;
  return ++passed_over_ > kMostTold;
}

bool GroupRequests::does_not_fit(const records::JobClass& c) {
  if (!only_what_fits_.contains(served_by_)) return false;
  like_.counts = c.counts;
  like_.constraint = c.constraint;
  if (matcher_.fits_free(like_) || !matcher_.fits_usable(like_)) return false;
  return !limits_.concern(like(c)) && rules_.of(first_).empty();
}

// Whether the shell of a requeued job, or what it has left, is still there: both go by themselves.
bool GroupRequests::is_leaving(const job::Job& job) {
  constexpr double kAgain_s = 1;
  // A store in memory has no shells and no files.
  if (job.attempt == 0 || change_.session().store.empty()) return false;
  const meeting::JobFiles files = change_.files();
  if (!exists(files.guest(job.id)) && !meeting::shell_alive(files, job.id)) return false;
  last_leaves_ = change_.now() + kAgain_s;
  return true;
}

void GroupRequests::started(const sched::AllocReply& reply) {
  const job::Job& job = change_.job(reply.id);
  limits_.started(job, *reply.R);
  order_.started(job.queue);
}

void GroupRequests::claimed(const sched::AllocReply& reply) {
  limits_.started(change_.job(reply.id), *reply.claims);
}

double GroupRequests::next_chance() const {
  return std::min(limits_.next_chance(), last_leaves_);
}

}  // namespace fq::manager
