// What fq-sim simulates: jobs, accounts, nodes and configurations, from wherever they come.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "document/config/config.h"
#include "request/accounts.h"
#include "sim/from_store.h"
#include "sim/trace.h"

namespace fq::tools::sim {

struct Options {
  cli::CommonOptions common;
  std::optional<std::string> config, nodes, jobs;
  std::vector<std::string> compare, accounts;
  bool from_store = false, json = false, schedule = false, html = false;
  std::optional<std::string> generate, seed, load;
};

struct Workload {
  std::string name;
  fq::sim::Trace trace;
  std::optional<fq::sim::StoredSetup> stored;  ///< of a store that it comes from
  request::AccountTables accounts;
};

/// Says of what is damaged that it is left out. Throws Error, Error{invalid} where no job is left.
[[nodiscard]] Workload read_workload(const Options& options, const std::vector<std::string>& operands);

/// That of `path`; none: of the store that the workload is from, or no queues. For the nodes of --nodes, else
/// those that it gives itself, else those of the store or of the trace.
[[nodiscard]] document::Config read_config(const std::optional<std::string>& path, const Options& options,
                                           const Workload& workload);

}  // namespace fq::tools::sim
