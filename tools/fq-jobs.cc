// fq-jobs: lists jobs.

#include <algorithm>
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
#include "frame/store_session.h"
#include "request/find_job.h"
#include "request/job_list.h"
#include "request/place.h"

namespace {

using namespace fq;

// Instances in instances beyond this are not shown.
constexpr int kDeepest = 32;

// What the instances inside the caller's running jobs have, each under the id of its job; of `ids` where
// there are some.
void print_instances(const door::Door& door, const cli::JobListingOptions& options,
                     const cli::FormatNames& formats, cli::ColorWhen color,
                     const std::vector<notation::JobId>& ids, int depth) {
  if (depth > kDeepest) return;
  request::JobListRequest running;
  running.filter.userid = door.userid();
  running.filter.states = {job::State::run};
  std::vector<notation::JobId> around;
  request::JobListRows rows;
  rows.begin = [&](request::JobListHead&&) { around.clear(); };
  rows.row = [&](request::ListedJob&& listed) {
    const notation::JobId id = listed.job.id;
    if (ids.empty() || std::find(ids.begin(), ids.end(), id) != ids.end()) around.push_back(id);
    return true;
  };
  door.ask(running, rows);
  if (around.empty()) return;
  const auto stores = door.ask(request::InstancesRequest{around}).stores;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (!stores.at(i)) continue;
    try {
      cli::CommonOptions there;
      there.store = stores[i];
      const tools::StoreSession store("fq-jobs", there);
      cli::JobListing listing(options, formats, color, {});
      cli::Spool out;
      listing.write(store.get(), out);
      cli::print(fmt::format("\n{}:\n", around[i]));
      out.visit(cli::print);
      print_instances(store.get(), options, formats, color, {}, depth + 1);
    } catch (const Error&) {
      continue;  // the job ended meanwhile, and its instance with it
    }
  }
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
  if (options.recursive && (watch || options.listing.json || options.stats_only))
    throw error(Kind::combination, "--recursive cannot be used with {}",
                watch                  ? "--watch"
                : options.listing.json ? "--json"
                                       : "--stats-only");
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
  cli::Spool out;
  listing.write(store.get(), out);
  out.visit(cli::print);
  if (options.recursive) print_instances(store.get(), options, formats, common.color, ids, 1);
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
