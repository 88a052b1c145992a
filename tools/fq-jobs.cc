// fq-jobs: lists jobs.

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "cli/common_options.h"
#include "cli/job_fields.h"
#include "cli/job_json.h"
#include "cli/job_selection.h"
#include "cli/listing.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/run_tool.h"
#include "cli/store_session.h"
#include "manager/query.h"
#include "notation/fsd.h"
#include "records/instance.h"

namespace {

using namespace fq;

struct Options {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  bool all = false, all_users = false, stats = false, stats_only = false;
  std::optional<std::string> user, filter, name, since, count;
  std::vector<std::string> queues, include;
};

double since_time(std::string_view text, double now) {
  // `-1h` and `1h`: that long ago; a number: seconds since the epoch.
  if (const auto number = parse_u64(text); number && *number > 100'000'000)
    return static_cast<double>(*number);
  if (text.starts_with('-')) text.remove_prefix(1);
  try {
    return now - notation::parse_fsd(text);
  } catch (const Error& failure) {
    throw error(Kind::usage, "option '--since': {}", failure.what());
  }
}

manager::JobFilter make_filter(const Options& options, double now) {
  manager::JobFilter filter =
      cli::selection(options.all_users ? std::optional<std::string>{"all"} : options.user, options.queues);
  if (options.filter) {
    const cli::StateSelection selection = cli::parse_states(*options.filter);
    filter.states = selection.states;
    filter.results = selection.results;
  } else if (!options.all && !options.since) {
    filter.states = cli::active_states();
  }
  if (options.name) filter.name = *options.name;
  if (options.since) filter.since = since_time(*options.since, now);
  filter.limit = 1000;
  if (options.count) {
    const auto count = parse_u64(*options.count);
    if (!count)
      throw error(Kind::usage, "option '--count': expected a number, got {}", quote(*options.count));
    filter.limit = *count == 0 ? std::numeric_limits<std::size_t>::max() : *count;
  }
  return filter;
}

std::string statistics(const std::map<std::string, std::uint64_t>& counts) {
  const auto sum = [&](std::initializer_list<const char*> statuses) {
    std::uint64_t total = 0;
    for (const char* status : statuses) {
      if (const auto at = counts.find(status); at != counts.end()) total += at->second;
    }
    return total;
  };
  return fmt::format("{} running, {} completed, {} failed, {} pending\n", sum({"R", "C"}), sum({"CD"}),
                     sum({"F", "CA", "TO"}), sum({"D", "P", "S"}));
}

std::string render(const Options& options, const std::vector<manager::ListedJob>& jobs, double now) {
  std::vector<cli::JobRow> rows;
  rows.reserve(jobs.size());
  for (const manager::ListedJob& listed : jobs) {
    rows.push_back({&listed.job, now, listed.t_estimate, listed.reason_pending});
  }
  auto format = cli::arrange<cli::JobRow>(rows, options.listing, cli::job_formats(), cli::job_fields());
  if (options.listing.json) return cli::jobs_json(rows);
  format.set_color(cli::use_color(options.common.color, STDOUT_FILENO));
  return format.list(rows, options.listing.no_header);
}

int run(int argc, char** argv) {
  Options options;
  cli::OptionParser parser("fq-jobs",
                           "list jobs: yours, pending and running, in the order they will be served",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq jobs -a");
  parser.example("fq jobs -f failed,timeout --since=-1d -o endreason");
  parser.group("Which jobs");
  parser.flag("-a", options.all, "inactive jobs too");
  parser.flag("-A", options.all_users, "every user's");
  parser.option("-u,--user", "USER", options.user, "this user's, or `all`");
  parser.option("-q,--queue", "QUEUE,...", options.queues, "in these queues, or `all`");
  parser.option("-f,--filter", "STATES", options.filter, "in these states or with these results");
  parser.option("--name", "NAME", options.name, "of this name");
  parser.option("--since", "WHEN", options.since, "ended since: -1h or epoch seconds; implies -a");
  parser.option("-c,--count", "N", options.count, "at most N (default 1000; 0: all)");
  cli::add_listing_options(parser, options.listing);
  parser.flag("--stats", options.stats, "a line of counts first");
  parser.flag("--stats-only", options.stats_only, "nothing but the line of counts");
  cli::add_common_options(parser, options.common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (options.listing.format == "help") {
    cli::print(cli::format_help(cli::job_formats(), cli::field_names(cli::job_fields())));
    return 0;
  }
  std::vector<notation::JobId> ids;
  ids.reserve(operands.size());
  for (const std::string& operand : operands) ids.push_back(notation::parse_job_id(operand));

  const cli::StoreSession store("fq-jobs", options.common);
  const manager::JobFilter filter = make_filter(options, store.now());
  std::vector<manager::ListedJob> jobs;
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> missing;
  manager::query_repaired(store.get(), [&](const store::Reader& reader) {
    jobs.clear();
    missing.clear();
    if (options.stats || options.stats_only) counts = records::read_counts(reader, {filter.userid, {}});
    if (options.stats_only) return;
    if (ids.empty()) jobs = manager::list_jobs(reader, filter);
    for (const notation::JobId id : ids) {
      try {
        jobs.push_back(manager::find_listed(reader, id));
      } catch (const Error& failure) {
        if (failure.kind() != Kind::not_found) throw;
        missing.emplace_back(failure.what());
      }
    }
  });
  if (options.stats || options.stats_only) cli::print(statistics(counts));
  if (!options.stats_only) cli::print(render(options, jobs, store.now()));
  for (const std::string& message : missing) cli::print_error(fmt::format("fq-jobs: {}\n", message));
  return missing.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-jobs", argc, argv, run);
}
