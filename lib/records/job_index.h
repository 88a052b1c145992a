// Which index entries a job has: a function of the job alone (but for
// where its wait counts from, which its queue says), so that an update is the difference between two
// of them and a check of the whole store is a comparison.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "records/job_age.h"

namespace fq::records {

/// Every key of the index family that stands for `job`, ascending. Their values are empty.
[[nodiscard]] std::vector<std::string> index_keys(const job::Job& job, const JobAges& ages);

/// The one of them by which singleton dependencies find the job: nothing for a job that was given no name, or
/// has ended.
[[nodiscard]] std::optional<std::string> named_key(const job::Job& job);
/// Whether it waits until no other active job of its user has its name.
[[nodiscard]] bool waits_for_name(const job::Job& job);

}  // namespace fq::records
