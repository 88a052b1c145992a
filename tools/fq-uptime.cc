// fq-uptime: an instance in a line.

#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/live/instance_text.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/site.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-uptime", "say how long the store is there, whose it is, and whether it works");
  parser.example("fq uptime");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const tools::StoreSession store("fq-uptime", common);
  cli::print(cli::overview_text(store.get().ask(request::InstanceRequest{})));
  return 0;
}

}  // namespace

int fq::tools::command::uptime(int argc, char** argv) {
  return ::run(argc, argv);
}
