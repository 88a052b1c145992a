// Requests about several jobs, in which each job is accepted or refused on its own.

#pragma once

#include <vector>

#include "base/error.h"
#include "notation/fluid.h"

namespace fq::request {

/// One job that could not be acted on, and why.
struct Refusal {
  notation::JobId id;
  Error why{Kind::internal, ""};
};

/// Whether an error of this kind is said against one job, and not against the disk, the database or fq
/// itself.
[[nodiscard]] bool is_about_the_job(Kind kind);

/// What became of a request about several jobs.
template <typename Done>
struct BulkReply {
  std::vector<Done> done;  ///< one for every job acted on, in the order of the request
  std::vector<Refusal> refusals;
};

/// The reply to what only has to be done.
struct Nothing {};

}  // namespace fq::request
