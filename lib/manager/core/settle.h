// What follows from the work of a request, in each transaction and in whatever store.

#pragma once

#include "manager/core/change.h"

namespace fq::manager {

/// Lets nodes go that are no longer wanted; with the last step of a request also runs the scheduling pass
/// and, where jobs have ended, removes some that are kept no longer.
void settle(Change& change, bool last);

}  // namespace fq::manager
