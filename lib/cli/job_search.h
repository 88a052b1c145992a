// What fq-pgrep and fq-pkill share: which jobs are looked at, and which of them fit.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_parser.h"
#include "manager/query.h"
#include "manager/session.h"

namespace fq::cli {

struct SearchOptions {
  bool all = false;  ///< -a: inactive jobs too
  bool all_users = false;
  std::optional<std::string> user, filter;
  std::vector<std::string> queues;
  std::uint64_t count = 0;           ///< matches at the most; 0: all
  std::uint64_t max_entries = 1000;  ///< jobs looked at, at the most; 0: all
};

/// Adds -A, -u, -f, -q, -c and --max-entries.
void add_search_options(OptionParser& parser, SearchOptions& options);

/// The jobs that fit `words` (job_pattern.h), in the order of listings. Throws Error{usage} for a wrong
/// option or expression, without looking at the store.
[[nodiscard]] std::vector<manager::ListedJob> find_jobs(const manager::Session& session,
                                                        const SearchOptions& options,
                                                        const std::vector<std::string>& words);

}  // namespace fq::cli
