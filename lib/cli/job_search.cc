#include "cli/job_search.h"

#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "cli/job_pattern.h"
#include "cli/job_selection.h"

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
  parser.option("--max-entries", "N", count_into(options.max_entries),
                "look at N jobs (default 1000; 0: all)");
}

std::vector<manager::ListedJob> find_jobs(const manager::Session& session, const SearchOptions& options,
                                          const std::vector<std::string>& words) {
  const JobPattern pattern(words);
  manager::JobFilter filter =
      selection(options.all_users ? std::optional<std::string>{"all"} : options.user, options.queues);
  select_states(filter, options.filter, options.all);
  if (options.max_entries != 0) filter.limit = options.max_entries;
  const std::size_t most = options.count == 0 ? std::numeric_limits<std::size_t>::max() : options.count;
  std::vector<manager::ListedJob> found;
  manager::query_repaired(session, [&](const store::Reader& reader) {
    found.clear();
    manager::visit_listed(reader, filter, [&](manager::ListedJob&& listed) {
      if (pattern.matches(listed.job)) found.push_back(std::move(listed));
      return found.size() < most;
    });
  });
  return found;
}

}  // namespace fq::cli
