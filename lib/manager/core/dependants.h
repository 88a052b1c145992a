// Jobs that wait for others: notifying them that one has started or ended. A job may have more dependants
// than one transaction should change, and these dependants of their own, so that they are notified one after
// another, and in steps: what is left over is stored (records/dependant_notice.h) and done by the
// transactions that follow.

#pragma once

#include "document/jobspec/dependency.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Whether a dependency on a job of this state is satisfied, can never be, or still has to be waited for.
enum class DependencyState { waiting, satisfied, impossible };
[[nodiscard]] DependencyState dependency_state(document::DependencyKind kind, const job::Job& on);

/// A job of this change waits for `on`: the stored index does not know that yet.
void note_dependant(Change& change, JobId on, JobId dependant);
/// The job has started or ended: its dependants are to be notified.
void notify_dependants_later(Change& change, JobId id);
/// Notifies the dependants of the jobs that were noted, unless that is being done already. What is left when
/// the change has grown large makes another pass due.
void notify_dependants(Change& change);
/// Goes on with what an earlier transaction left over.
void notify_left_over(Change& change);

}  // namespace fq::manager
