// Which jobs a listing or a bulk request means, and in what order they come: pending in the order in which
// they will be served, then those that wait for dependencies, then running and inactive, the latest first.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "job/job.h"
#include "notation/hostlist.h"
#include "notation/idset.h"
#include "records/pending_order.h"
#include "store/reader.h"

namespace fq::manager {

struct JobFilter {
  std::optional<std::uint32_t> userid;          ///< nothing: every user's
  std::optional<std::set<std::string>> queues;  ///< with their virtual queues; nothing: every queue's
  bool default_queue = false;                   ///< the default queue's, where queues are configured
  std::set<job::State> states;                  ///< empty: all
  std::set<job::Result> results;                ///< of inactive jobs; empty: all
  std::string name;                             ///< empty: any
  notation::Hostlist hosts;                     ///< jobs that were given one of these; empty: any
  notation::Idset ranks;                        ///< the same by rank
  double since = 0;  ///< inactive jobs that ended at or after, seconds since the epoch
  std::size_t limit = std::numeric_limits<std::size_t>::max();
};

[[nodiscard]] bool matches(const JobFilter& filter, const job::Job& job);

/// Calls `visit` for every job that the filter selects, in order, until it returns false or the limit is
/// reached. Throws Error{not_found} for a queue that does not exist and has no jobs.
void visit_jobs(const store::Reader& reader, const JobFilter& filter,
                const std::function<bool(job::Job&&)>& visit);
/// How many inactive jobs the filter selects, whatever states it names; counts no further than its limit.
[[nodiscard]] std::size_t count_ended(const store::Reader& reader, const JobFilter& filter);

}  // namespace fq::manager
