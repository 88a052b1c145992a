// Which index entries a job has: a function of the job alone, so that an update is the difference between two
// of them and a check of the whole store is a comparison.

#pragma once

#include <string>
#include <vector>

#include "job/job.h"

namespace fq::records {

/// Every key of the index family that stands for `job`, ascending. Their values are empty.
[[nodiscard]] std::vector<std::string> index_keys(const job::Job& job);

}  // namespace fq::records
