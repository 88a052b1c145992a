// fq-resource who: the jobs that have, or had, a node.

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/format/user_formats.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/spool.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_rows.h"
#include "cli/list/listing.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "request/job_list.h"
#include "resource/commands.h"

namespace fq::tools::resource {
namespace {

// Whether the job held its resources at that time.
bool held_at(const job::Job& job, double time) {
  if (job.t_run == 0 || job.t_run > time) return false;
  return job.state != job::State::inactive || job.t_inactive >= time;
}

}  // namespace

int who(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  std::optional<double> at;
  cli::OptionParser parser("fq-resource who", "list the jobs that run on nodes, or ran there at some time",
                           {"HOST", 1, 1});
  parser.example("fq resource who node3 --at '2026-12-24 18:30'");
  parser.group("When");
  parser.option(
      "--at", "TIME",
      [&](const std::string& text) { at = document::parse_past_time(text, SystemClock{}.now()); },
      "-1h, 18:30, a date and a time, or epoch seconds");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const cli::FormatNames formats("jobs", listing.format, cli::job_formats());
  if (const auto told = formats.told(listing.format, cli::field_names(cli::job_fields()))) {
    cli::print(*told);
    return 0;
  }
  cli::check_arrangement<cli::JobRow>(listing, formats, cli::job_fields());
  const tools::StoreSession store("fq-resource", common);
  cli::Spool out;
  cli::JobChoice choice;
  choice.jobs.filter.hosts = notation::Hostlist::decode(operands.front());
  choice.jobs.filter.states = {job::State::run, job::State::cleanup};
  choice.jobs.known_hosts = request::KnownHosts::all;
  if (at) {
    choice.jobs.filter.states.insert(job::State::inactive);
    choice.jobs.filter.since = *at;
    choice.keep = [&](const job::Job& job) { return held_at(job, *at); };
  }
  cli::Format<cli::JobRow> format = formats.parse(listing.format, cli::job_fields());
  format.set_limit(cli::line_limit(listing));
  format.set_color(cli::use_color(common.color, STDOUT_FILENO));
  cli::write_rows(store.get(), choice, format, listing, out);
  out.visit(cli::print);
  return 0;
}

}  // namespace fq::tools::resource
