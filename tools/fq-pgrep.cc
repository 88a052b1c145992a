// fq-pgrep: lists the jobs whose name fits an expression.

#include "cli/format/user_formats.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/spool.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_rows.h"
#include "cli/jobs/job_search.h"
#include "cli/list/listing.h"
#include "commands.h"
#include "frame/instance_inside.h"
#include "frame/store_session.h"

namespace {

using namespace fq;

// Those of jobs, whose usual columns are `full` here; by default what other commands take: ids alone.
std::vector<cli::NamedFormat> search_formats() {
  std::vector<cli::NamedFormat> formats{{"default", "ids alone", "{id}"}};
  for (const cli::NamedFormat& format : cli::job_formats()) {
    formats.push_back(format);
    if (format.name == "default") formats.back().name = "full";
  }
  return formats;
}

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
  cli::add_listing_options(parser, listing, "PGREP");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const std::vector<std::string> words = parser.parse(argc, argv);
  const cli::FormatNames formats("jobs", listing.format, search_formats());
  if (const auto told = formats.told(listing.format, cli::field_names(cli::job_fields()))) {
    cli::print(*told);
    return 0;
  }
  if (words.empty())
    throw Error{Kind::usage, "which jobs? give an expression for their names", "'.' fits any"};
  if (listing.format == "default") listing.no_header = true;
  cli::check_arrangement<cli::JobRow>(listing, formats, cli::job_fields());
  const cli::JobSearch jobs(search, words);
  const tools::StoreSession store("fq-pgrep", common);
  cli::Spool out;
  cli::JobChoice choice;
  choice.jobs.filter = jobs.filter();
  choice.keep = [&](const job::Job& job) { return jobs.fits(job); };
  choice.most = jobs.most();
  choice.has_instance = [&](const job::Job& job, const std::string& path) {
    return tools::may_be_there(store.get(), common, job, path);
  };
  cli::Format<cli::JobRow> format = formats.parse(listing.format, cli::job_fields());
  format.set_limit(cli::line_limit(listing));
  format.set_color(cli::use_color(common.color, STDOUT_FILENO));
  const std::size_t found = cli::write_rows(store.get(), choice, format, listing, out);
  if (found > 0 || listing.json) out.visit(cli::print);
  return found > 0 ? 0 : 1;
}

}  // namespace

int fq::tools::command::pgrep(int argc, char** argv) {
  return ::run(argc, argv);
}
