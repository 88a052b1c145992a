// Which jobs a listing or a request about many means.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "job/state.h"
#include "notation/hostlist.h"
#include "notation/idset.h"

namespace fq::request {

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

}  // namespace fq::request
