// The job state machine of RFC 21: what an event makes of a job. This is the only code that changes the event
// part of a Job; live posting and replay both go through it.

#pragma once

#include <string_view>

#include "document/event/eventlog.h"
#include "job/job.h"

namespace fq::job {

/// Applies one event. Unknown events change nothing. Throws Error{invalid} when the event cannot follow in
/// the job's state or its context lacks what RFC 21 requires; `job` is then unspecified.
void apply(Job& job, const document::Event& event);

/// The job that its documents describe: the effective jobspec (the submitted one with every jobspec-update
/// applied), the event log, and R. `r` may be empty where there was no alloc. Texts as stored (RFC 16).
[[nodiscard]] Job replay(notation::JobId id, std::string_view jobspec, std::string_view eventlog,
                         std::string_view r);

/// The jobspec with every jobspec-update of the event log applied.
[[nodiscard]] document::Jobspec effective_jobspec(std::string_view jobspec, std::string_view eventlog);

}  // namespace fq::job
