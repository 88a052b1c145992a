#include "cli/jobs/job_search.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/jobs/job_selection.h"

namespace fq::cli {

namespace {

OptionParser::Take count_into(std::uint64_t& target) {
  return [&target](const std::string& text) {
    const auto number = parse_u64(text);
    if (!number) throw error(Kind::invalid, "expected a number, got {}", quote(text));
    target = *number;
  };
}

}  // namespace

void add_search_options(OptionParser& parser, SearchOptions& options) {
  parser.flag("-A", options.all_users, "every user's");
  parser.option("-u,--user", "USER", options.user, "this user's, or `all`");
  parser.option("-q,--queue", "QUEUE,...", options.queues, "in these queues, or `all`");
  parser.option("-f,--filter", "STATES", options.filter, "in these states or with these results");
  parser.option("-c,--count", "N", count_into(options.count), "the first N that fit (0: all)");
  parser.option("--max-entries", "N", count_into(options.max_entries), "look at N jobs (0: all)");
}

JobSearch::JobSearch(const SearchOptions& options, const std::vector<std::string>& words)
    : pattern_(words),
      filter_(
          selection(options.all_users ? std::optional<std::string>{"all"} : options.user, options.queues)),
      most_(options.count == 0 ? std::numeric_limits<std::size_t>::max() : options.count) {
  select_states(filter_, options.filter, options.all);
  if (options.max_entries != 0) filter_.limit = options.max_entries;
}

}  // namespace fq::cli
