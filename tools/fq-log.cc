// fq-log: who administered what, and when.

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/log_listing.h"
#include "commands.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "request/log.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  request::LogRequest request;
  cli::OptionParser parser("fq-log", "say who administered what, and when");
  parser.example("fq log --since=-1d");
  parser.group("Which");
  parser.option(
      "-c,--count", "N",
      [&](const std::string& value) {
        const auto count = parse_u64(value);
        if (!count) throw error(Kind::invalid, "expected a number, got {}", quote(value));
        request.most = *count;
      },
      "the last N (default 1000; 0: all)");
  parser.option(
      "--since", "WHEN",
      [&](const std::string& value) {
        static_cast<void>(document::parse_past_time(value, SystemClock{}.now()));
        request.since = value;
      },
      "since then: -1h or epoch seconds");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::log_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_log_listing(listing);
  const tools::StoreSession store("fq-log", common);
  cli::print(cli::list_log(store.get().ask(request).events, listing));
  return 0;
}

}  // namespace

int fq::tools::command::log(int argc, char** argv) {
  return ::run(argc, argv);
}
