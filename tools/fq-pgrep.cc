// fq-pgrep: lists the jobs whose name fits an expression.

#include "cli/common_options.h"
#include "cli/job_fields.h"
#include "cli/job_json.h"
#include "cli/job_search.h"
#include "cli/listing.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/run_tool.h"
#include "cli/store_session.h"
#include "cli/user_formats.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::SearchOptions search;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-pgrep", "print the ids of jobs whose name fits an expression",
                           {"EXPRESSION [ID..ID]", 0, 2});
  parser.example("fq pgrep '^frame-[0-9]+$'");
  parser.example("fq pgrep -a -o long render");
  parser.group("Which jobs");
  parser.flag("-a", search.all, "inactive jobs too");
  cli::add_search_options(parser, search);
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::vector<std::string> words = parser.parse(argc, argv);
  const cli::FormatNames formats("jobs", listing.format, cli::job_formats());
  if (listing.format == "help") {
    cli::print(cli::format_help(formats.all(), cli::field_names(cli::job_fields())));
    return 0;
  }
  if (words.empty())
    throw Error{Kind::usage, "which jobs? give an expression for their names", "'.' fits any"};
  // By default what other commands take: ids alone.
  if (listing.format == "default") {
    listing.format = "{id}";
    listing.no_header = true;
  }
  cli::check_arrangement<cli::JobRow>(listing, formats, cli::job_fields());
  std::vector<cli::JobRow> rows;
  const cli::StoreSession store("fq-pgrep", common);
  const std::vector<manager::ListedJob> found = cli::find_jobs(store.get(), search, words);
  for (const manager::ListedJob& job : found) {
    rows.push_back({&job.job, store.now(), job.t_estimate, job.reason_pending});
  }
  auto format = cli::arrange<cli::JobRow>(rows, listing, formats, cli::job_fields());
  if (listing.json) cli::print(cli::jobs_json(rows));
  if (rows.empty()) return 1;
  if (listing.json) return 0;
  format.set_color(cli::use_color(common.color, STDOUT_FILENO));
  cli::print(format.list(rows, listing.no_header));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-pgrep", argc, argv, run);
}
