// fq-jobs: lists jobs.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/spool.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_listing.h"
#include "cli/live/live_listing.h"
#include "commands.h"
#include "door/door.h"
#include "frame/instance_inside.h"
#include "frame/store_session.h"
#include "request/find_job.h"
#include "request/job_list.h"

namespace {

using namespace fq;

// Instances in instances beyond this are not shown.
constexpr int kDeepest = 32;

// How instances are listed: as the store around them.
struct Listed {
  const cli::CommonOptions& common;
  const cli::JobListingOptions& options;
  const cli::FormatNames& formats;
};

cli::CommonOptions options_for(const Listed& listed, const std::string& instance) {
  cli::CommonOptions there;
  there.host = listed.common.host;
  there.lock_timeout_s = listed.common.lock_timeout_s;
  there.store = instance;
  return there;
}

// `door` outlives the listing.
void check_instances(cli::JobListing& listing, const door::Door& door, const Listed& listed) {
  listing.check_instances([&door, &common = listed.common](const job::Job& job, const std::string& path) {
    return tools::may_be_there(door, common, job, path);
  });
}

// What the instances inside the caller's running jobs have, each under the id of its job; of `ids` where
// there are some.
void print_instances(const door::Door& door, const Listed& listed, const std::vector<notation::JobId>& ids,
                     int depth) {
  if (depth > kDeepest) return;
  request::JobListRequest running;
  running.filter.userid = door.userid();
  running.filter.states = {job::State::run};
  running.instances = true;
  std::vector<std::pair<notation::JobId, std::string>> around;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&&) { around.clear(); };
  rows.row = [&](request::ListedJob&& row) {
    const notation::JobId id = row.job.id;
    const bool wanted = ids.empty() || std::find(ids.begin(), ids.end(), id) != ids.end();
    if (row.instance && wanted) around.emplace_back(id, *std::move(row.instance));
    return true;
  };
  door.ask(running, rows);
  for (const auto& [id, path] : around) {
    try {
      const tools::StoreSession store("fq-jobs", options_for(listed, path));
      cli::JobListing listing(listed.options, listed.formats, listed.common.color, {});
      check_instances(listing, store.get(), listed);
      cli::Spool out;
      listing.write(store.get(), out);
      cli::print(fmt::format("\n{}:\n", id));
      out.visit(cli::print);
      print_instances(store.get(), listed, {}, depth + 1);
    } catch (const Error&) {
      continue;  // the job ended meanwhile, and its instance with it
    }
  }
}

// Has the objects of jobs hold what the instances inside them have, and so on.
void put_instances_inside(cli::JobListing& listing, const door::Door& door, const Listed& listed, int depth) {
  if (depth > kDeepest) return;
  std::map<notation::JobId, std::string> inside;
  for (const auto& [id, path] : listing.instances(door)) {
    std::string members = "\"jobs\":[]";
    try {
      const tools::StoreSession store("fq-jobs", options_for(listed, path));
      cli::JobListing inner(listed.options, listed.formats, listed.common.color, {});
      check_instances(inner, store.get(), listed);
      put_instances_inside(inner, store.get(), listed, depth + 1);
      cli::Spool out;
      inner.write(store.get(), out);
      std::string document;
      out.visit([&](std::string_view piece) { document += piece; });
      // `{MEMBERS}` and a newline.
      members = document.substr(1, document.size() - 3);
    } catch (const Error&) {
      // The job ended meanwhile, and its instance with it.
    }
    inside.insert_or_assign(id, std::move(members));
  }
  listing.put_inside(std::move(inside));
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::JobListingOptions options;
  bool watch = false;
  cli::OptionParser parser("fq-jobs",
                           "list jobs: yours, pending and running, in the order they will be served",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq jobs -a");
  parser.example("fq jobs -f failed,timeout --since=-1d -o endreason");
  cli::add_job_listing_options(parser, options);
  parser.flag("-w,--watch", watch, "stay, and show changes as they come; q ends");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const std::string usual = options.listing.format;
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (options.start && options.listing.format == usual) options.listing.format = "start";
  if (options.recursive && (watch || options.stats_only))
    throw error(Kind::combination, "--recursive cannot be used with {}", watch ? "--watch" : "--stats-only");
  if (watch && options.listing.json) throw Error{Kind::combination, "--watch cannot be used with --json"};
  const cli::FormatNames formats("jobs", options.listing.format, cli::job_formats());
  if (const auto told = formats.told(options.listing.format, cli::field_names(cli::job_fields()))) {
    cli::print(*told);
    return 0;
  }
  const auto is_width = [](const std::string& text) {
    constexpr std::size_t kDigits = 4;
    return text.size() <= kDigits && text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (watch && std::any_of(operands.begin(), operands.end(), is_width)) {
    throw Error{Kind::usage, "-w is --watch, and takes no number", "COLUMNS=100 fq jobs has lines that wide"};
  }
  std::vector<notation::JobId> ids;
  ids.reserve(operands.size());
  for (const std::string& operand : operands) ids.push_back(cli::parse_job_id(operand));

  cli::JobListing listing(options, formats, common.color, ids);
  // Before the first submission there are no jobs.
  const bool may_be_missing = ids.empty() && !watch;
  const tools::StoreSession store("fq-jobs", common,
                                  may_be_missing ? tools::MissingStore::go_on : tools::MissingStore::refuse);
  if (store.is_missing()) {
    cli::Spool out;
    listing.write_nothing(out);
    out.visit(cli::print);
    return options.stats_only ? 1 : 0;
  }
  const Listed listed{common, options, formats};
  check_instances(listing, store.get(), listed);
  const auto missing = [&] {
    std::string lines;
    for (const std::string& message : listing.missing())
      lines += fmt::format("fq-jobs: {}\n", printable(message));
    return lines;
  };
  if (watch) {
    // On the screen the store's time goes on until the next look.
    const auto now = [&] { return listing.ahead_of_boot() + store.get().clock().boot_time(); };
    const auto render = [&] { return listing.text(now()) + missing(); };
    return cli::show_live(store.get(), ids,
                          {[&] { listing.read(store.get()); }, render, [&] { return listing.left_out(); },
                           [&] { return listing.ticks(); }});
  }
  if (options.recursive && options.listing.json) put_instances_inside(listing, store.get(), listed, 1);
  cli::Spool out;
  listing.write(store.get(), out);
  out.visit(cli::print);
  if (options.recursive && !options.listing.json) print_instances(store.get(), listed, ids, 1);
  cli::print_error(missing());
  if (const std::string cut = listing.cut_notice(); !cut.empty()) cli::say("fq-jobs", cut);
  // As with Flux: `while fq jobs --stats-only; do …`.
  if (options.stats_only) return listing.any_active() ? 0 : 1;
  return listing.missing().empty() ? 0 : 1;
}

}  // namespace

int fq::tools::command::jobs(int argc, char** argv) {
  return ::run(argc, argv);
}
