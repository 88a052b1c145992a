// Which soft resource limits a job inherits: rules of --rlimit, applied in their order.
//
//   -PATTERN      do not pass on the limits that match the glob
//   NAME=VALUE    a whole number, or unlimited, infinity, inf
//   PATTERN       pass on the submitter's limits that match
//
// Rules may be joined with commas. At first all limits are passed on but memlock, msgqueue, nice, ofile,
// rtprio, rttime and sigpending.

#pragma once

#include <string>
#include <vector>

#include "cli/submit/surroundings.h"

namespace fq::cli {

/// The limits for the job. Throws Error{usage} `--rlimit: …`.
[[nodiscard]] Rlimits apply_rlimit_rules(const std::vector<std::string>& rules, const Rlimits& submitter);

}  // namespace fq::cli
