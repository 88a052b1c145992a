// Requests about several jobs: one transaction, in which each job is accepted or refused on its own.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "manager/change.h"

namespace fq::manager {

/// One job that could not be acted on, and why.
struct Refusal {
  JobId id;
  std::string message;
};

/// Calls `act` for every id. What it throws refuses that job alone, unless it is not the job's fault (the
/// disk, the database, fq itself): that ends the request. REQUIRES that `act` throws before it has posted.
[[nodiscard]] std::vector<Refusal> for_each_job(std::span<const JobId> ids,
                                                const std::function<void(JobId)>& act);

}  // namespace fq::manager
