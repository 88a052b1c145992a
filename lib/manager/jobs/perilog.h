// The end of a prolog or an epilog, as the job's shell reports it: events, the start of the tasks or the end
// of the job, drained nodes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "document/config/config_perilog.h"
#include "manager/core/change.h"
#include "manager/run/guest.h"
#include "meeting/launch.h"
#include "meeting/perilog_outcome.h"

namespace fq::manager {

/// Type of the exceptions of a job whose prolog failed; that of an epilog is `epilog`, and does not end the
/// job.
inline constexpr std::string_view kPrologException = "prolog";

struct PerilogRequest {
  JobId id;
  std::uint32_t attempt = 1;
  document::PerilogKind kind = document::PerilogKind::prolog;
  meeting::PerilogOutcome outcome;
  CollectedGuest guest;
};

[[nodiscard]] PerilogRequest collect_perilog(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                                             document::PerilogKind kind,
                                             const meeting::PerilogOutcome& outcome);

/// Posts the end of it. After a prolog the job's tasks are to start, or the job fails or is requeued as its
/// queue says; after an epilog it gives back what it has. A request of an attempt that is not the current
/// one, or for what is not under way, changes nothing.
void finish_perilog(Change& change, const PerilogRequest& request);

/// Posts that what is under way of a job was killed, where its shell cannot report it.
void abandon_perilogs(Change& change, JobId id);

/// What the shell of this attempt has to do next; nothing where the job needs it no more.
[[nodiscard]] std::optional<meeting::LaunchPlan> next_plan(Change& change, JobId id, std::uint32_t attempt);

}  // namespace fq::manager
