#include "cli/list/job_listing.h"

#include <algorithm>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/job_values.h"
#include "cli/frame/terminal.h"
#include "cli/list/job_fields.h"
#include "cli/list/job_rows.h"
#include "cli/list/job_selection.h"
#include "cli/list/job_window.h"
#include "cli/list/listing.h"
#include "document/begin_time.h"
#include "records/instance.h"
#include "records/purged.h"
#include "records/queues.h"

namespace fq::cli {
namespace {

constexpr std::size_t kDefaultCount = 1000;
constexpr double kHintWindow_s = 3600;
constexpr std::size_t kMostEnded = 100;  ///< a hint may not cost more than to look at so many jobs

double since_time(std::string_view text, double now) {
  try {
    return document::parse_past_time(text, now);
  } catch (const Error& failure) {
    throw error(Kind::usage, "--since: {}", failure.what());
  }
}

void include(manager::JobFilter& filter, const std::string& text) {
  try {
    if (notation::is_idset_text(text)) {
      filter.ranks = notation::Idset::decode(text);
    } else {
      filter.hosts = notation::Hostlist::decode(text);
    }
  } catch (const Error& failure) {
    throw error(Kind::usage, "--include: {}", failure.what());
  }
  if (filter.ranks.empty() && filter.hosts.empty()) {
    throw error(Kind::usage, "--include: expected hosts or ranks, got {}", quote(text));
  }
}

manager::JobFilter make_filter(const JobListingOptions& options) {
  manager::JobFilter filter =
      selection(options.all_users ? std::optional<std::string>{"all"} : options.user, options.queues);
  const bool waiting = options.start && !options.filter && !options.all && !options.since;
  select_states(filter, waiting ? std::optional<std::string>{"pending"} : options.filter,
                options.all || options.since);
  filter.default_queue = options.queues.empty();
  if (options.name) filter.name = *options.name;
  if (options.include) include(filter, *options.include);
  if (options.since) filter.since = since_time(*options.since, SystemClock{}.now());
  filter.limit = kDefaultCount;
  if (options.count) {
    const auto count = parse_u64(*options.count);
    if (!count) throw error(Kind::usage, "--count: expected a number, got {}", quote(*options.count));
    filter.limit = *count == 0 ? std::numeric_limits<std::size_t>::max() : *count;
  }
  return filter;
}

std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts,
                  std::initializer_list<const char*> statuses) {
  std::uint64_t total = 0;
  for (const char* status : statuses) {
    if (const auto at = counts.find(status); at != counts.end()) total += at->second;
  }
  return total;
}

/// Jobs by state or result, of the filter's user and queues. Throws Error{not_found} for a queue that does
/// not exist and has no jobs.
std::map<std::string, std::uint64_t> count_jobs(const store::Reader& reader,
                                                const manager::JobFilter& filter) {
  if (!filter.queues) return records::read_counts(reader, {filter.userid, {}});
  records::Queues queues(reader);
  std::set<std::string> names;
  for (const std::string& name : *filter.queues) {
    names.insert(name);
    if (const document::QueueConfig* queue = queues.find(name)) {
      names.insert(queue->virtual_queues.begin(), queue->virtual_queues.end());
    } else if (records::read_counts(reader, {std::nullopt, name}).empty()) {
      static_cast<void>(queues.require(name));
    }
  }
  std::map<std::string, std::uint64_t> all;
  for (const std::string& name : names) {
    for (const auto& [status, count] : records::read_counts(reader, {filter.userid, name}))
      all[status] += count;
  }
  return all;
}

std::string statistics(const std::map<std::string, std::uint64_t>& counts, std::uint64_t purged,
                       bool as_json) {
  const std::uint64_t running = sum(counts, {"R", "C"}), completed = sum(counts, {"CD"});
  const std::uint64_t failed = sum(counts, {"F", "CA", "TO"}), pending = sum(counts, {"D", "P", "S"});
  if (as_json) {
    const nlohmann::ordered_json document{{"running", running},
                                          {"completed", completed},
                                          {"failed", failed},
                                          {"pending", pending},
                                          {"purged", purged}};
    return document.dump();
  }
  return fmt::format("{} running, {} completed, {} failed, {} pending, {} inactive purged\n", running,
                     completed, failed, pending, purged);
}

/// Whether nothing was asked for but the listing that everybody knows.
bool is_plain(const JobListingOptions& options) {
  return !options.all && !options.start && !options.filter && !options.name && !options.since &&
         !options.include && !options.listing.json && !options.listing.no_header && !options.stats_only &&
         !is_format_text(options.listing.format);
}

}  // namespace

void add_job_listing_options(OptionParser& parser, JobListingOptions& options) {
  parser.group("Which jobs");
  parser.flag("-a", options.all, "inactive jobs too");
  parser.flag("-A", options.all_users, "every user's");
  parser.option("-u,--user", "USER", options.user, "this user's, or `all`");
  parser.option("-q,--queue", "QUEUE,...", options.queues, "in these queues, or `all`");
  parser.option("-f,--filter", "STATES", options.filter, "in these states or with these results");
  parser.option("-i,--include", "HOSTS", options.include, "that were given one of these hosts or ranks");
  parser.option("--name", "NAME", options.name, "of this name");
  parser.option("--since", "WHEN", options.since, "ended since: -1h or epoch seconds; implies -a");
  parser.option("-c,--count", "N", options.count, "at most N (default 1000; 0: all)");
  parser.flag("-R,--recursive", options.recursive, "and what instances inside these jobs have");
  parser.flag("--start", options.start, "those that wait, and when they may start");
  add_listing_options(parser, options.listing, "JOBS");
  parser.flag("--stats", options.stats, "a line of counts first");
  parser.flag("--stats-only", options.stats_only, "nothing but the line of counts");
  parser.rarely({"--include", "--stats", "--stats-only"});
}

JobListing::JobListing(const JobListingOptions& options, const FormatNames& formats, ColorWhen color,
                       std::vector<notation::JobId> ids)
    : options_(options),
      formats_(formats),
      color_(color),
      ids_(std::move(ids)),
      filter_(make_filter(options)) {
  // A format that is wrong is told before the store is looked at.
  check_arrangement(options.listing, formats, job_fields());
  hints_ = ::isatty(STDOUT_FILENO) == 1 && ids_.empty() && is_plain(options);
}

Format<JobRow> JobListing::make_format() const {
  Format<JobRow> format = formats_.parse(options_.listing.format, job_fields());
  format.set_limit(line_limit(options_.listing));
  format.set_color(use_color(color_, STDOUT_FILENO));
  return format;
}

void JobListing::read_counts(const store::Reader& reader, double now) {
  missing_.clear();
  if (options_.stats || options_.stats_only) {
    counts_ = count_jobs(reader, filter_);
    purged_ = records::purged_jobs(reader);
  }
  if (!hints_) return;
  manager::JobFilter ended = filter_;
  ended.since = now - kHintWindow_s;
  ended.limit = kMostEnded;
  ended_ = manager::count_ended(reader, ended);
  elsewhere_.clear();
  if (!filter_.default_queue) return;
  records::Queues queues(reader);
  if (!queues.named()) return;
  const std::vector<std::string>& shown = queues.require(queues.default_queue()).virtual_queues;
  for (const std::string& name : queues.names()) {
    if (name == queues.default_queue() || std::find(shown.begin(), shown.end(), name) != shown.end())
      continue;
    auto counts = records::read_counts(reader, {filter_.userid, name});
    const std::uint64_t active = counts["D"] + counts["P"] + counts["S"] + counts["R"] + counts["C"];
    if (active > 0) elsewhere_.emplace_back(name, active);
  }
}

void JobListing::set_now(double now) {
  if (options_.since) filter_.since = since_time(*options_.since, now);
}

void JobListing::visit_selected(const store::Reader& reader,
                                const std::function<void(manager::ListedJob&&)>& visit) {
  manager::JobFilter filter = filter_;
  if (!options_.count) ++filter.limit;
  is_cut_ = false;
  std::size_t visited = 0;
  manager::visit_listed(reader, filter, [&](manager::ListedJob&& listed) {
    is_cut_ = visited++ == filter_.limit;
    if (!is_cut_) visit(std::move(listed));
    return true;
  });
}

void JobListing::write(const store::Reader& reader, double now, Spool& out) {
  out.clear();
  set_now(now);
  if (!ids_.empty()) {
    read(reader, now);
    return render_held(now, out);
  }
  read_counts(reader, now);
  const auto for_each = [&](const std::function<void(const JobRow&)>& visit) {
    visit_selected(reader, [&](manager::ListedJob&& listed) {
      visit({&listed.job, now, listed.t_estimate, std::move(listed.reason_pending), listed.behind});
    });
  };
  Format<JobRow> format = make_format();
  std::vector<SortKey> keys = sort_keys(options_.listing, format, job_fields());
  render(std::move(format), std::move(keys), for_each, out);
}

void JobListing::write_nothing(Spool& out) const {
  out.clear();
  render(
      make_format(), {}, [](const std::function<void(const JobRow&)>&) {}, out);
}

void JobListing::read(const store::Reader& reader, double now) {
  jobs_.clear();
  set_now(now);
  read_counts(reader, now);
  if (options_.stats_only) return;
  left_out_ = 0;
  if (ids_.empty()) {
    JobWindow window(sort_keys(options_.listing, make_format(), job_fields()), now);
    visit_selected(reader, [&](manager::ListedJob&& listed) { window.add(std::move(listed)); });
    jobs_ = window.take();
    left_out_ = window.left_out();
  }
  for (const notation::JobId id : ids_) {
    try {
      jobs_.push_back(manager::find_listed(reader, id));
    } catch (const Error& failure) {
      if (failure.kind() != Kind::not_found) throw;
      missing_.emplace_back(as_typed(failure.what()));
    }
  }
}

std::string JobListing::text(double now) const {
  Spool out;
  render_held(now, out);
  std::string text;
  out.visit([&](std::string_view piece) { text += piece; });
  return text;
}

void JobListing::render_held(double now, Spool& out) const {
  std::vector<JobRow> rows;
  rows.reserve(jobs_.size());
  for (const manager::ListedJob& listed : jobs_) {
    rows.push_back({&listed.job, now, listed.t_estimate, listed.reason_pending, listed.behind});
  }
  Format<JobRow> format = make_format();
  sort_as_asked(rows, options_.listing, format, job_fields());
  render(
      std::move(format), {},
      [&](const std::function<void(const JobRow&)>& visit) {
        std::for_each(rows.begin(), rows.end(), visit);
      },
      out);
}

void JobListing::render(Format<JobRow> format, std::vector<SortKey> keys, const ForEachRow& for_each,
                        Spool& out) const {
  const bool json = options_.listing.json;
  std::string stats;
  if (options_.stats || options_.stats_only) stats = statistics(counts_, purged_, json);
  if (options_.stats_only) {
    out.text() += json ? fmt::format("{{\"stats\":{}}}\n", stats) : stats;
    return;
  }
  if (!json) out.text() += stats;
  if (json) {
    // As with Flux one job that was named stands by itself; nothing where it is none.
    const bool alone = ids_.size() == 1 && stats.empty();
    if (!alone) out.text() += stats.empty() ? "{\"jobs\":[" : fmt::format("{{\"stats\":{},\"jobs\":[", stats);
    const std::size_t shown = write_json_rows(std::move(keys), for_each, out);
    out.text() += alone ? (shown > 0 ? "\n" : "") : "]}\n";
    return;
  }
  write_text_rows(std::move(format), std::move(keys), !options_.listing.no_header, for_each, out);
  out.text() += hint();
}

std::string JobListing::hint() const {
  if (!hints_) return {};
  std::vector<std::string> parts;
  if (is_cut_) parts.push_back(fmt::format("the first {} (-c 0)", filter_.limit));
  if (!elsewhere_.empty()) parts.push_back(elsewhere());
  if (ended_ > 0) {
    parts.push_back(
        fmt::format("{}{} ended within the hour (-a)", ended_, ended_ == kMostEnded ? " or more" : ""));
  }
  if (parts.empty()) return {};
  const std::string line = printable(join(parts, ", "));
  if (!use_color(color_, STDOUT_FILENO)) return line + "\n";
  return fmt::format("{}{}{}\n", style::kGray, line, style::kReset);
}

std::string JobListing::cut_notice() const {
  if (!is_cut_ || hints_) return {};
  return fmt::format("these are the first {} jobs (-c 0 lists all)", filter_.limit);
}

std::string JobListing::elsewhere() const {
  constexpr std::size_t kNamed = 3;
  std::uint64_t sum = 0;
  std::string text;
  for (const auto& [queue, jobs] : elsewhere_) {
    text += text.empty() ? fmt::format("{} more in {}", jobs, queue) : fmt::format(", {} in {}", jobs, queue);
    sum += jobs;
  }
  if (elsewhere_.size() > kNamed) text = fmt::format("{} more in {} other queues", sum, elsewhere_.size());
  return text + " (-q all)";
}

bool JobListing::any_active() const {
  return sum(counts_, {"D", "P", "S", "R", "C"}) > 0;
}

bool JobListing::ticks() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const manager::ListedJob& listed) {
    return listed.t_estimate || job::is_running(listed.job.state);
  });
}

}  // namespace fq::cli
