// What a job must satisfy to be taken: at its submission, and again when what it asks for is changed.

#pragma once

#include <string>

#include "manager/change.h"

namespace fq::manager {

/// Throws Error{refused} when there is no such queue, or when it takes no jobs. Empty: the anonymous queue.
void require_open_queue(Change& change, const std::string& queue);

/// Throws Error{refused} when the inventory can never hold what the job asks for. `facts` has the jobspec part
/// filled (job::describe).
void require_feasible(Change& change, const job::Job& facts);

}  // namespace fq::manager
