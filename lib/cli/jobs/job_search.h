// What fq-pgrep and fq-pkill share: which jobs are looked at, and which of them fit.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/frame/option_parser.h"
#include "cli/jobs/job_pattern.h"
#include "request/job_filter.h"

namespace fq::cli {

struct SearchOptions {
  bool all = false;  ///< -a: inactive jobs too
  bool all_users = false;
  std::optional<std::string> user, filter;
  std::vector<std::string> queues;
  std::uint64_t count = 0;        ///< matches at the most; 0: all
  std::uint64_t max_entries = 0;  ///< jobs looked at, at the most; 0: all
};

/// Adds -A, -u, -f, -q, -c and --max-entries.
void add_search_options(OptionParser& parser, SearchOptions& options);

class JobSearch {
 public:
  /// For the jobs that fit `words` (job_pattern.h). Throws Error{usage} for a wrong option or expression,
  /// Error{not_found} for an unknown user.
  JobSearch(const SearchOptions& options, const std::vector<std::string>& words);

  /// The jobs to look at, in the order of listings.
  [[nodiscard]] const request::JobFilter& filter() const { return filter_; }
  [[nodiscard]] bool fits(const job::Job& job) const { return pattern_.matches(job); }
  /// How many of those that fit are wanted.
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  JobPattern pattern_;
  request::JobFilter filter_;
  std::size_t most_;
};

}  // namespace fq::cli
