// The second half of the check of a whole store: indexes, classes, counters, the pool and the configuration
// against what the jobs' records (manager/check/check_jobs.h) and the documents of the store say.

#pragma once

#include "manager/check/check_jobs.h"

namespace fq::manager {

void check_derived(const store::Reader& reader, const Expected& expected, const Report& report);
/// What is administered: queues, nodes, the configuration, the sequence of ids.
void check_administration(const store::Reader& reader, const Expected& expected, const Report& report);

}  // namespace fq::manager
