#include "manager/core/post.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "job/actions.h"
#include "job/apply.h"
#include "job/events.h"
#include "manager/core/dependants.h"
#include "manager/core/singleton.h"
#include "manager/pass/period_timer.h"
#include "manager/pass/preemption.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/run/allocation.h"
#include "manager/run/perilog.h"
#include "records/keys.h"
#include "records/waitable.h"

namespace fq::manager {

using document::DependencyKind;
using document::Event;
using store::Family;
namespace events = job::events;

// What nobody but this file may do to a change.
class Posting {
 public:
  static Change::Entry& entry(Change& change, JobId id) { return change.entry(id, {}); }
  static Change::Entry& add_entry(Change& change, job::Job job) {
    return change.add_entry(std::move(job), {});
  }
  static void count_newly_pending(Change& change) { change.count_newly_pending({}); }
  static void note_end(Change& change) { change.note_end({}); }
};

namespace {

Event due(Change& change, const job::Job& job, job::DueEvent what) {
  const double now = change.now();
  switch (what) {
    case job::DueEvent::validate:
      return events::validate(now);
    case job::DueEvent::depend:
      return events::depend(now);
    case job::DueEvent::priority:
      return events::priority(now, change.priorities().of(job));
    case job::DueEvent::free:
      return events::free(now);
    case job::DueEvent::clean:
      return events::clean(now);
  }
  throw error(Kind::internal, "unknown due event");
}

// The time of the last event of a job's log, those of this change included; 0 where there is none.
double last_time(Change& change, const Change::Entry& entry) {
  std::string stored;
  std::string_view log = entry.events;
  if (log.empty()) {
    stored = change.transaction().get(Family::kvs, records::key::eventlog(entry.now.id)).value_or("");
    log = stored;
  }
  if (log.empty()) return 0;
  log.remove_suffix(1);
  return document::decode_event(log.substr(log.rfind('\n') + 1)).timestamp;
}

// Applies one event and adds it to the log; what follows is the caller's. A log's times never decrease: of
// what was measured elsewhere, as the end of its tasks by a job's shell, others may have been told since.
void record(Change& change, Change::Entry& entry, Event event) {
  if (event.timestamp != change.now()) {
    event.timestamp = std::min(std::max(event.timestamp, last_time(change, entry)), change.now());
  }
  if (event.name == "free") release_allocation(change, entry.now);
  job::apply(entry.now, event);
  if (event.name == events::kJobspecUpdate) {
    auto effective = effective_jobspec(change, entry.now.id);
    effective.apply_update(event.context);
    job::describe(entry.now, effective);
  }
  document::append_event(entry.events, event);
}

void record_debug(Change& change, Change::Entry& entry, std::string_view what) {
  if ((entry.now.flags & job::kFlagDebug) != 0) record(change, entry, events::debug(change.now(), what));
}

// Few jobs have it: looking is cheaper than a deletion for each that ends.
void erase_if_there(Change& change, const std::string& key) {
  if (change.transaction().get(Family::instance, key)) change.transaction().erase(Family::instance, key);
}

}  // namespace

std::string submitted_jobspec_text(Change& change, JobId id) {
  auto jobspec = change.transaction().get(Family::kvs, records::key::jobspec(id));
  if (!jobspec) throw error(Kind::internal, "job {} has no jobspec", id);
  return *std::move(jobspec);
}

std::string full_eventlog(Change& change, JobId id) {
  const std::string& added = change.new_events(id);
  return change.transaction().get(Family::kvs, records::key::eventlog(id)).value_or("") + added;
}

std::string effective_jobspec_text(Change& change, JobId id) {
  std::string jobspec = submitted_jobspec_text(change, id);
  const std::string log = full_eventlog(change, id);
  // Most jobs have none: their jobspec is not worth reading.
  if (log.find(events::kJobspecUpdate) == std::string::npos) return jobspec;
  return job::effective_jobspec(jobspec, log).canonical();
}

document::Jobspec effective_jobspec(Change& change, JobId id) {
  return document::Jobspec::parse(effective_jobspec_text(change, id));
}

namespace {

// Posts `event`, if there is one, and what follows.
void post_and_settle(Change& change, JobId id, const Event* event) {
  Change::Entry& entry = Posting::entry(change, id);
  const job::State before = entry.now.state;
  const bool had_started = entry.now.t_run > 0;
  const bool wanted_resources = job::wants_resources(entry.now);
  const std::optional<NameHold> name_before = name_hold(entry.now);
  if (event != nullptr) record(change, entry, *event);
  // Back to PRIORITY, it is pending anew, and what the scheduler said of it is void (RFC 27 cancel).
  const bool left_sched = before == job::State::sched && entry.now.state != job::State::sched;
  if (left_sched) change.transaction().erase(Family::instance, records::key::annotation(id));
  while (const auto what = job::due_event(entry.now)) {
    if (*what == job::DueEvent::free) {
      const auto epilog = entry.now.epilog_done
                              ? std::nullopt
                              : perilog_start(change, entry.now, document::PerilogKind::epilog);
      if (epilog) {
        record(change, entry, *epilog);
        continue;
      }
      record(change, entry, events::release(change.now()));
    }
    record(change, entry, due(change, entry.now, *what));
  }
  if (!wanted_resources && job::wants_resources(entry.now)) record_debug(change, entry, "alloc-request");
  const std::optional<NameHold> name_now = name_hold(entry.now);
  update_name(change, name_before, name_now);
  if (entry.now.state == before) return settle_name(change, name_before, name_now);

  if (entry.now.state == job::State::sched) Posting::count_newly_pending(change);
  if (job::wants_kill(entry.now)) change.effects().cancels.push_back(id);
  const bool ended = entry.now.state == job::State::inactive;
  if (ended) Posting::note_end(change);
  if (ended) erase_if_there(change, records::key::memo(id));
  if (ended) records::end_waiting(change.transaction(), entry.now);
  if (ended && entry.now.attempt > 0) change.effects().ended.push_back(id);
  if (job::is_running(before) && job::is_pending(entry.now.state)) change.effects().requeued.push_back(id);
  if (ended || (!had_started && entry.now.t_run > 0)) notify_dependants_later(change, id);
  settle_name(change, name_before, name_now);
  notify_dependants(change);
}

}  // namespace

void post(Change& change, JobId id, const Event& event) {
  post_and_settle(change, id, &event);
}

void post_due(Change& change, JobId id) {
  post_and_settle(change, id, nullptr);
}

void create(Change& change, NewJob job) {
  const JobId id = job.facts.id;
  change.transaction().put(Family::kvs, records::key::jobspec(id), job.jobspec);
  Change::Entry& entry = Posting::add_entry(change, std::move(job.facts));
  record(change, entry,
         events::submit(change.now(), change.caller().uid, job.urgency, job.flags, change.take_number()));
  change.note_bytes(entry.now.userid, static_cast<std::int64_t>(job.jobspec.size()));
  if (!job.updates.empty()) {
    // The facts have it already: the jobspec need not be read again.
    const Event update = events::jobspec_update(change.now(), job.updates);
    job::apply(entry.now, update);
    document::append_event(entry.events, update);
  }
  records::begin_waiting(change.transaction(), entry.now);
  for (const std::string& description : job.dependencies) {
    record(change, entry, events::dependency_add(change.now(), description));
    const document::Dependency dependency = document::parse_description(description);
    if (is_on_a_job(dependency.kind)) note_dependant(change, dependency.job, id);
  }
  update_name(change, std::nullopt, name_hold(entry.now));
  post(change, id, events::validate(change.now()));
}

bool timer_is_due(const store::Reader& reader, double now) {
  return reader.scan(Family::index, records::key::kTimerPrefix, records::key::timer_end(now))->valid();
}

void fire_timers(Change& change) {
  std::vector<JobId> due_jobs;
  std::optional<std::string> of_inventory;
  bool of_period = false, of_retry = false;
  const std::optional<std::string> period = period_timer(change.transaction());
  const std::optional<std::string> retry = retry_timer(change.transaction());
  const std::string end = records::key::timer_end(change.now());
  for (const auto at = change.transaction().scan(Family::index, records::key::kTimerPrefix, end); at->valid();
       at->next()) {
    const JobId id = records::key::indexed_job(at->key());
    if (at->key() == period) {
      of_period = true;
    } else if (at->key() == retry) {
      of_retry = true;
    } else if (id == JobId{}) {
      of_inventory = std::string{at->key()};
    } else {
      due_jobs.push_back(id);
    }
  }
  if (of_period) clear_period_timer(change.transaction());
  if (of_inventory) change.transaction().erase(Family::index, *of_inventory);
  if (of_retry) resume_for_retry(change);
  if (of_period || of_inventory || of_retry) records::write_pass_due(change.transaction(), true);
  for (const JobId id : due_jobs) {
    if (change.job(id).state == job::State::run) end_grace(change, id);
    const std::vector<std::string> descriptions = change.job(id).dependencies;
    for (const std::string& description : descriptions) {
      const document::Dependency dependency = document::parse_description(description);
      if (dependency.kind != DependencyKind::begin_time || dependency.begin_time > change.now()) continue;
      if (change.job(id).state != job::State::depend) break;
      post(change, id, events::dependency_remove(change.now(), description));
    }
  }
}

}  // namespace fq::manager
