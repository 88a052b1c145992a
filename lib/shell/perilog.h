// The job shell runs a prolog or an epilog (RFC 21), a program that the configuration names, before or after
// the tasks; another shell the housekeeping of nodes that a job has given back. It takes no store lock and
// opens no database; posting the outcome is its caller's.
//
// Its output is the guest document of its name, an event log (RFC 24) of one writer; that of an attempt whose
// shell was lost has the number of the attempt at its end (`prolog.1`).

#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "document/config/config_perilog.h"
#include "meeting/job_files.h"
#include "meeting/launch.h"
#include "meeting/perilog_outcome.h"

namespace fq::shell {

/// NAME=VALUE for every variable of it: nothing of the job's own environment, nor of who started the shell.
[[nodiscard]] std::vector<std::string> perilog_environment(const meeting::JobFiles& files,
                                                           const meeting::LaunchPlan& plan);

/// Runs what the plan has of this kind and returns when it is over. A prolog is asked to end when the job is
/// canceled, or its time limit is reached, and what one that succeeded leaves behind belongs to the job; an
/// epilog is not, but is sent the signals that are for it, and what it leaves behind is killed. So with
/// housekeeping, which a cancel ends where a repair has forgotten it. Whatever is wrong with the program is a
/// status other than 0. Changes this process: signal mask, child subreaper, limits to the recorded baseline.
/// REQUIRES a single thread, and the job's alive lock.
[[nodiscard]] meeting::PerilogOutcome run_perilog(const meeting::JobFiles& files,
                                                  const meeting::LaunchPlan& plan, document::PerilogKind kind,
                                                  const Clock& clock);

}  // namespace fq::shell
