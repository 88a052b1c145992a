// What is run before and after the tasks of a job (RFC 21 prolog and epilog), and after the job: what the
// configuration says of it for a job, and the events with which it begins. It ends by manager/jobs/perilog,
// and by manager/jobs/housekeeping.

#pragma once

#include <optional>
#include <string>

#include "document/config/config_perilog.h"
#include "document/event/eventlog.h"
#include "manager/core/change.h"
#include "meeting/launch.h"

namespace fq::manager {

/// What the job's queue has; no command where nothing is to be run: also in a store without a directory,
/// which has no processes, and in a copy that is just taken over. Valid as long as the change.
[[nodiscard]] const document::PerilogConfig& perilog_of(Change& change, const job::Job& job,
                                                        document::PerilogKind kind);

/// The event with which a prolog or epilog begins, or nothing where nothing is to be run.
[[nodiscard]] std::optional<document::Event> perilog_start(Change& change, const job::Job& job,
                                                           document::PerilogKind kind);

/// What the job's shell is told to run: what is begun and not over.
[[nodiscard]] std::optional<meeting::PerilogPlan> perilog_plan(Change& change, const job::Job& job,
                                                               document::PerilogKind kind);

}  // namespace fq::manager
