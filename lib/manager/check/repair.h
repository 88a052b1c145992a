// The repair of a store whose records do not fit its documents (manager/check/fsck.h). What is derived is
// made anew from what is true. Of a job whose documents themselves are damaged all is kept that can be read,
// and what is given up is written to a file first.

#pragma once

#include <string>

#include "manager/check/check_jobs.h"
#include "manager/engine/session.h"

namespace fq::manager {

/// Repairs what fsck finds: a damaged database is replaced by one of what can be read of it
/// (store/rocks/salvage.h), then records and documents are. `report` is told what was given up, a line each;
/// copies of that are in the directory `aside`, which is made when it is needed. A repair that is cut off is
/// begun again. Throws Error where something cannot be repaired.
void repair(const Session& session, const std::string& aside, const Report& report);

/// STORE/damaged-20261122T230501: what a repair at that time puts aside.
[[nodiscard]] std::string aside_directory(const Session& session);

}  // namespace fq::manager
