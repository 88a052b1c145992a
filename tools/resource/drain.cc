// fq-resource drain and undrain: nodes out of use, and back.

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/node_listing.h"
#include "frame/store_session.h"
#include "request/nodes.h"
#include "resource/commands.h"

namespace fq::tools::resource {
namespace {

using Drained = request::DrainRequest::Drained;

// What stands behind the nodes.
std::string reason_of(const std::vector<std::string>& operands) {
  return join(std::vector<std::string>(operands.begin() + 1, operands.end()), " ");
}

int list_drained(const cli::CommonOptions& common, const cli::ResourceChoice& choice,
                 const cli::ListingOptions& listing) {
  const tools::StoreSession store("fq-resource", common);
  cli::print(cli::list_drains(store.get().ask(request::ResourceUseRequest{}), choice, listing));
  return 0;
}

}  // namespace

int drain(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::ResourceChoice choice;
  int force = 0;
  bool update = false;
  cli::OptionParser parser("fq-resource drain",
                           "give nodes no new jobs; without nodes, list those that are drained",
                           {"[NODES [REASON...]]", 0, cli::Operands::kUnlimited});
  parser.example("fq resource drain node[3-4] broken fan");
  parser.example("fq resource drain");
  parser.group("With nodes");
  parser.count("-f,--force", force, "those that are drained, too; -ff: anew");
  parser.flag("-u,--update", update, "pass over those that are drained already");
  parser.group("Without");
  cli::add_queue_and_node_options(parser, choice);
  cli::add_listing_options(parser, listing, "RESOURCE_DRAIN");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (!operands.empty() && (!choice.queues.empty() || !choice.nodes.empty())) {
    throw Error{Kind::usage, "--queue and --include choose from the list of drained nodes: name no nodes"};
  }
  if (force > 0 && update) throw Error{Kind::combination, "--force cannot be used with --update"};
  if (operands.empty()) {
    if (force > 0 || update) throw Error{Kind::usage, "which nodes? give their ranks or names"};
    if (const auto told = cli::drain_formats_told(listing)) {
      cli::print(*told);
      return 0;
    }
    cli::check_drain_listing(listing);
    return list_drained(common, choice, listing);
  }
  request::DrainRequest request;
  request.targets = operands.front();
  request.reason = reason_of(operands);
  request.drained = force > 1   ? Drained::renew
                    : force > 0 ? Drained::overwrite
                    : update    ? Drained::keep
                                : Drained::refuse;
  const tools::StoreSession store("fq-resource", common);
  store.get().ask(request);
  return 0;
}

int undrain(int argc, char** argv) {
  cli::CommonOptions common;
  bool force = false;
  cli::OptionParser parser("fq-resource undrain", "give drained nodes jobs again",
                           {"NODES [REASON...]", 1, cli::Operands::kUnlimited});
  parser.example("fq resource undrain node[3-4] new fans");
  parser.group("Options");
  parser.flag("-f,--force", force, "pass over nodes that are not drained");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const tools::StoreSession store("fq-resource", common);
  store.get().ask(request::UndrainRequest{operands.front(), force, reason_of(operands)});
  return 0;
}

}  // namespace fq::tools::resource
