#include "cli/jobs/job_listing.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/job_values.h"
#include "cli/frame/terminal.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_rows.h"
#include "cli/jobs/job_selection.h"
#include "cli/jobs/job_window.h"
#include "cli/list/listing.h"
#include "document/jobspec/begin_time.h"
#include "door/door.h"
#include "request/find_job.h"
#include "request/job_filter.h"
#include "request/job_list.h"

namespace fq::cli {
namespace {

constexpr std::size_t kDefaultCount = 1000;

double since_time(std::string_view text, double now) {
  try {
    return document::parse_past_time(text, now);
  } catch (const Error& failure) {
    throw error(Kind::usage, "--since: {}", failure.what());
  }
}

void include(request::JobFilter& filter, const std::string& text) {
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

request::JobFilter make_filter(const JobListingOptions& options) {
  request::JobFilter filter =
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

request::JobListRequest JobListing::request() const {
  request::JobListRequest request;
  request.filter = filter_;
  // One more than is shown tells that there are more.
  if (!options_.count) ++request.filter.limit;
  request.ids = ids_;
  request.since = options_.since;
  request.counts = options_.stats || options_.stats_only;
  request.left_out = hints_;
  // Jobs that have ended may have had nodes that are gone.
  const bool ended = options_.all || options_.since || options_.filter;
  if (ids_.empty() && !ended) request.known_hosts = request::KnownHosts::one;
  const Format<JobRow> format = make_format();
  request.instances =
      options_.listing.json || wants_instances(format, sort_keys(options_.listing, format, job_fields()));
  return request;
}

std::vector<std::pair<notation::JobId, std::string>> JobListing::instances(const door::Door& door) const {
  std::vector<std::pair<notation::JobId, std::string>> found;
  std::size_t visited = 0;
  request::JobListRequest asked = request();
  asked.counts = asked.left_out = false;
  asked.instances = true;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&&) {
    found.clear();
    visited = 0;
  };
  rows.row = [&](request::ListedJob&& listed) {
    if (visited++ == wanted_rows()) return false;
    check_instance(listed, is_there_);
    if (listed.instance && listed.job.userid == door.userid())
      found.emplace_back(listed.job.id, *std::move(listed.instance));
    return true;
  };
  door.ask(asked, rows);
  return found;
}

JobRow JobListing::row(const request::ListedJob& listed, double now) const {
  JobRow row = row_of(listed, now);
  if (const auto at = inside_.find(listed.job.id); at != inside_.end()) row.inside = at->second;
  return row;
}

std::size_t JobListing::wanted_rows() const {
  return ids_.empty() ? filter_.limit : std::numeric_limits<std::size_t>::max();
}

void JobListing::take_head(request::JobListHead&& head) {
  head_ = std::move(head);
  is_cut_ = false;
}

void JobListing::write(const door::Door& door, Spool& out) {
  std::optional<JobRowsWriter> writer;
  std::size_t visited = 0;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&& head) {
    take_head(std::move(head));
    out.clear();
    begin(out);
    if (options_.stats_only) return;
    Format<JobRow> format = make_format();
    std::vector<SortKey> keys = sort_keys(options_.listing, format, job_fields());
    writer.emplace(std::move(format), std::move(keys), rows_form(options_.listing), out);
    visited = 0;
  };
  if (!options_.stats_only) {
    rows.row = [&](request::ListedJob&& job) {
      is_cut_ = visited++ == wanted_rows();
      if (is_cut_) return false;
      check_instance(job, is_there_);
      writer->add(row(job, head_.now));
      return true;
    };
    rows.again = [&] {
      visited = 0;
      return writer->again();
    };
  }
  door.ask(request(), rows);
  if (writer) end(out, writer->finish());
}

void JobListing::write_nothing(Spool& out) const {
  out.clear();
  render_held(0, out);
}

void JobListing::read(const door::Door& door) {
  std::optional<JobWindow> window;
  std::size_t visited = 0;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&& head) {
    take_head(std::move(head));
    jobs_.clear();
    window.emplace(sort_keys(options_.listing, make_format(), job_fields()), head_.now);
    visited = 0;
  };
  if (!options_.stats_only) {
    rows.row = [&](request::ListedJob&& job) {
      is_cut_ = visited++ == wanted_rows();
      if (is_cut_) return false;
      check_instance(job, is_there_);
      if (ids_.empty()) {
        window->add(std::move(job));
      } else {
        jobs_.push_back(std::move(job));
      }
      return true;
    };
  }
  door.ask(request(), rows);
  left_out_ = 0;
  if (!ids_.empty()) return;
  jobs_ = window->take();
  left_out_ = window->left_out();
}

std::string JobListing::text(double now) const {
  Spool out;
  render_held(now, out);
  std::string text;
  out.visit([&](std::string_view piece) { text += piece; });
  return text;
}

void JobListing::render_held(double now, Spool& out) const {
  begin(out);
  if (options_.stats_only) return;
  Format<JobRow> format = make_format();
  std::vector<SortKey> keys = sort_keys(options_.listing, format, job_fields());
  JobRowsWriter writer(std::move(format), std::move(keys), rows_form(options_.listing), out);
  do {
    for (const request::ListedJob& job : jobs_) writer.add(row(job, now));
  } while (writer.again());
  end(out, writer.finish());
}

// As with Flux one job that was named stands by itself in JSON; nothing where it is none.
void JobListing::begin(Spool& out) const {
  const bool json = options_.listing.json;
  std::string stats;
  if (options_.stats || options_.stats_only) stats = statistics(head_.counts, head_.purged, json);
  if (options_.stats_only) {
    out.text() += json ? fmt::format("{{\"stats\":{}}}\n", stats) : stats;
  } else if (!json) {
    out.text() += stats;
  } else if (!stats.empty()) {
    out.text() += fmt::format("{{\"stats\":{},\"jobs\":[", stats);
  } else if (ids_.size() != 1) {
    out.text() += "{\"jobs\":[";
  }
}

void JobListing::end(Spool& out, std::size_t shown) const {
  if (!options_.listing.json) {
    out.text() += hint();
  } else if (options_.stats || ids_.size() != 1) {
    out.text() += "]}\n";
  } else if (shown > 0) {
    out.text() += "\n";
  }
}

std::vector<std::string> JobListing::missing() const {
  std::vector<std::string> lines;
  for (const std::string& message : head_.missing) lines.push_back(as_typed(message));
  return lines;
}

std::string JobListing::hint() const {
  if (!hints_) return {};
  std::vector<std::string> parts;
  if (is_cut_) parts.push_back(fmt::format("the first {} (-c 0)", filter_.limit));
  if (!head_.elsewhere.empty()) parts.push_back(elsewhere());
  if (head_.ended > 0) {
    parts.push_back(fmt::format("{}{} ended within the hour (-a)", head_.ended,
                                head_.ended == request::kMostEnded ? " or more" : ""));
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
  for (const auto& [queue, jobs] : head_.elsewhere) {
    text += text.empty() ? fmt::format("{} more in {}", jobs, queue) : fmt::format(", {} in {}", jobs, queue);
    sum += jobs;
  }
  if (head_.elsewhere.size() > kNamed)
    text = fmt::format("{} more in {} other queues", sum, head_.elsewhere.size());
  return text + " (-q all)";
}

bool JobListing::any_active() const {
  return sum(head_.counts, {"D", "P", "S", "R", "C"}) > 0;
}

bool JobListing::ticks() const {
  return std::any_of(jobs_.begin(), jobs_.end(), [](const request::ListedJob& listed) {
    return listed.t_estimate || job::is_running(listed.job.state);
  });
}

}  // namespace fq::cli
