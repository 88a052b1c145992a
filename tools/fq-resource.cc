// fq-resource: what there is, what is free, taken and out of use, and who has it.

#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/sub_command.h"
#include "cli/list/node_listing.h"
#include "cli/list/resource_listing.h"
#include "cli/list/resource_text.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/nodes.h"
#include "resource/commands.h"

namespace {

using namespace fq;

request::ResourceUse read_use(const cli::CommonOptions& common) {
  const tools::StoreSession store("fq-resource", common);
  return store.get().ask(request::ResourceUseRequest{});
}

// As `-s help` asks.
int print_states(std::span<const std::string_view> known) {
  cli::print(cli::states_text(known) + "\n");
  return 0;
}

int list(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::ResourceChoice choice;
  cli::OptionParser parser("fq-resource list", "list resources by state");
  parser.example("fq resource list -s free -o rlist");
  cli::add_resource_options(parser, choice, "free, allocated, down; up, all");
  cli::add_empty_row_options(parser, choice);
  cli::add_listing_options(parser, listing, "RESOURCE_LIST");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::resource_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  if (cli::asks_for_states(choice)) return print_states(cli::resource_states());
  cli::check_resource_listing(choice, listing);
  cli::print(cli::list_resources(read_use(common), choice, listing));
  return 0;
}

int status(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::ResourceChoice choice;
  cli::OptionParser parser("fq-resource status", "say which nodes may be used and which are drained");
  parser.example("fq resource status");
  cli::add_resource_options(parser, choice, "avail, exclude, drained, …: see fq-resource(1)");
  cli::add_empty_row_options(parser, choice);
  cli::add_listing_options(parser, listing, "RESOURCE_STATUS");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::node_state_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  if (cli::asks_for_states(choice)) return print_states(cli::node_states());
  cli::check_node_state_listing(choice, listing);
  cli::print(cli::list_node_states(read_use(common), choice, listing));
  return 0;
}

int info(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ResourceChoice choice;
  cli::OptionParser parser("fq-resource info", "count nodes, cores and GPUs");
  parser.example("fq resource info -s free");
  cli::add_resource_options(parser, choice, "free, allocated, down, up, all");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (cli::asks_for_states(choice)) return print_states(cli::resource_states());
  cli::check_resource_states(choice);
  cli::print(cli::resource_summary(read_use(common), choice));
  return 0;
}

int print_r(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ResourceChoice choice;
  cli::OptionParser parser("fq-resource R", "print the inventory as an RFC 20 resource set");
  parser.example("fq resource R | fq R decode --short");
  cli::add_resource_options(parser, choice, "free, allocated, down, up, all");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (cli::asks_for_states(choice)) return print_states(cli::resource_states());
  cli::check_resource_states(choice);
  cli::print_resources("fq-resource", cli::chosen_resources(read_use(common), choice));
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"list", "list resources by state", list},
      {"status", "say which nodes may be used and which are drained", status},
      {"info", "count nodes, cores and GPUs", info},
      {"drain", "give nodes no new jobs; list those that are drained", tools::resource::drain},
      {"undrain", "give drained nodes jobs again", tools::resource::undrain},
      {"reserve", "keep nodes for some, or for maintenance", tools::resource::reserve},
      {"reservations", "list what is reserved", tools::resource::reservations},
      {"cancel-reservation", "take a reservation back", tools::resource::cancel_reservation},
      {"who", "list the jobs that run on nodes, or ran there", tools::resource::who},
      {"reload", "replace the inventory while jobs run", tools::resource::reload},
      {"R", "print the inventory as an RFC 20 resource set", print_r},
  };
  return cli::run_sub_command("fq-resource", "look at and administer resources", commands, argc, argv);
}

}  // namespace

int fq::tools::command::resource(int argc, char** argv) {
  return ::run(argc, argv);
}
