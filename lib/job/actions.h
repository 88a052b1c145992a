// What a job now needs, recomputed from its state alone: asking twice gives the same answer, so whatever a
// crash left undone is found again by the next command that looks.

#pragma once

#include <optional>

#include "job/job.h"

namespace fq::job {

/// The event that is due by the job's own state, with nothing to wait for.
enum class DueEvent { validate, depend, priority, free, clean };
[[nodiscard]] std::optional<DueEvent> due_event(const Job& job);

/// Waits for resources: the scheduling pass may consider it. A held job (urgency 0) does not.
[[nodiscard]] bool wants_resources(const Job& job);
/// Has resources and has not ended, or a prolog or epilog of it has not: a shell must be alive for it.
[[nodiscard]] bool wants_shell(const Job& job);
/// Its tasks run, or will do so once its prolog is over.
[[nodiscard]] bool has_tasks(const Job& job);
/// Its shell must end its tasks, or its prolog: the job is over, but they are not.
[[nodiscard]] bool wants_kill(const Job& job);

}  // namespace fq::job
