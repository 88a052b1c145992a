// fq-top: what an instance is at, on a screen that follows it.

#include <string>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/terminal.h"
#include "cli/list/instance_text.h"
#include "cli/list/job_fields.h"
#include "cli/list/job_listing.h"
#include "cli/list/live_listing.h"
#include "cli/list/user_formats.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/site.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::JobListingOptions options;
  std::optional<std::string> queue;
  bool once = false;
  cli::OptionParser parser("fq-top", "follow what is taken and which jobs run, on the whole screen; q ends");
  parser.example("fq top -q batch");
  parser.example("fq top --store $(fq job uri ƒ2GMuTnf)");
  parser.group("Options");
  parser.option("-q,--queue", "QUEUE", queue, "jobs and nodes of this queue alone");
  parser.flag("-b,--batch", once, "print it once, and end");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  options.all_users = true;
  if (queue) {
    options.queues = {*queue};
  } else {
    options.queues = {"all"};
  }
  const cli::FormatNames formats("jobs", options.listing.format, cli::job_formats());
  cli::JobListing listing(options, formats, common.color, {});
  const tools::StoreSession store("fq-top", common);
  const bool color = cli::use_color(common.color, STDOUT_FILENO);
  request::InstanceOverview overview;
  const auto read = [&] {
    overview = store.get().ask(request::InstanceRequest{queue});
    listing.read(store.get());
  };
  const auto render = [&] {
    const double now = listing.ahead_of_boot() + store.get().clock().boot_time();
    return cli::summary_text(overview, now, color) + listing.text(now);
  };
  if (once) {
    read();
    cli::print(render());
    return 0;
  }
  return cli::show_live(store.get(), {},
                        {read, render, [&] { return listing.left_out(); }, [] { return true; }});
}

}  // namespace

int fq::tools::command::top(int argc, char** argv) {
  return ::run(argc, argv);
}
