// fq-resource reload: another inventory.

#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/resource_listing.h"
#include "frame/store_session.h"
#include "request/nodes.h"
#include "resource/commands.h"

namespace fq::tools::resource {

int reload(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-resource reload", "replace the inventory while jobs run", {"FILE", 1, 1});
  parser.example("fq resource reload inventory.json");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const auto wanted = document::ResourceSet::parse(cli::read_input(operands.front()));
  const tools::StoreSession store("fq-resource", common);
  const request::ReloadReply reply = store.get().ask(request::ReloadRequest{wanted});
  if (!reply.leaving.empty()) {
    cli::say("fq-resource", cli::leaving_words(reply.inventory.subset(reply.leaving).nodelist()));
  }
  return 0;
}

}  // namespace fq::tools::resource
