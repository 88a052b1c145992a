// The only writer of job events. Posting applies an event, adds it to the job's log and posts what follows
// from it, on the job and on those that depend on it (manager/core/dependants.h), until nothing is due.

#pragma once

#include <string>

#include "document/event/eventlog.h"
#include "document/jobspec/dependency.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Throws Error{not_found} for an unknown job, Error{invalid} when the event cannot follow in the job's
/// state.
void post(Change& change, JobId id, const document::Event& event);

/// Posts what is due by the job's own state: nothing, unless its log was written by others.
void post_due(Change& change, JobId id);

/// The documents of a job, the events of this change included. Throws Error{not_found}.
[[nodiscard]] std::string submitted_jobspec_text(Change& change, JobId id);
[[nodiscard]] std::string full_eventlog(Change& change, JobId id);
/// The job's jobspec with every update, those of this change included: as text, and read. Throws
/// Error{not_found}.
[[nodiscard]] std::string effective_jobspec_text(Change& change, JobId id);
[[nodiscard]] document::Jobspec effective_jobspec(Change& change, JobId id);

/// What a new job comes with.
struct NewJob {
  std::string jobspec;  ///< text to store, already checked
  std::string updates;  ///< what its queue adds to it, context of a jobspec-update event; empty: nothing
  job::Job facts;       ///< the jobspec part filled from both (job::describe); id set
  std::uint8_t urgency = job::kUrgencyDefault;
  std::uint32_t flags = 0;
  std::vector<std::string> dependencies;  ///< descriptions of those not yet satisfied
};
/// Stores a job and posts its first events, on behalf of the caller.
void create(Change& change, NewJob job);

/// Whether the begin time of a job has come, the end of a preempted one's grace, the starttime of the
/// inventory, or a boundary of the priorities' period.
[[nodiscard]] bool timer_is_due(const store::Reader& reader, double now);
/// Releases the jobs whose begin time has come, and ends preempted ones. At the other two a pass becomes due.
void fire_timers(Change& change);

}  // namespace fq::manager
