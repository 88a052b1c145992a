// Jobs that wait for others: telling them that one has started or ended. A job may have more dependants than
// one transaction should change, and these dependants of their own, so that they are told one after another,
// and in steps: what is left over is noted (records/untold.h) and done by the transactions that follow.

#pragma once

#include "document/dependency.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Whether a dependency on a job of this state is satisfied, can never be, or still has to be waited for.
enum class DependencyState { waiting, satisfied, impossible };
[[nodiscard]] DependencyState dependency_state(document::DependencyKind kind, const job::Job& on);

/// The job has started or ended: its dependants are to be told. For manager/core/post only.
void note_untold(Change& change, JobId id);
/// Tells the dependants of the jobs that were noted, unless that is being done already. What is left when the
/// change has grown large makes another pass due.
void tell_dependants(Change& change);
/// Goes on with what an earlier transaction left over.
void tell_left_over(Change& change);

}  // namespace fq::manager
