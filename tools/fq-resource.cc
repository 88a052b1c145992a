// fq-resource: what there is, what is free and what is taken.

#include "base/error.h"
#include "cli/common_options.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/resource_listing.h"
#include "cli/run_tool.h"
#include "cli/store_session.h"
#include "cli/sub_command.h"
#include "manager/query.h"

namespace {

using namespace fq;

int list(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  cli::OptionParser parser("fq-resource list", "list resources by state");
  parser.example("fq resource list -n -o '{state} {ncores}'");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (listing.format == "help") {
    cli::print(cli::resource_format_help());
    return 0;
  }
  const cli::StoreSession store("fq-resource", common);
  manager::ResourceUse use;
  manager::query_repaired(store.get(),
                          [&](const store::Reader& reader) { use = manager::resource_use(reader); });
  cli::print(cli::list_resources(use, listing));
  return 0;
}

int print_r(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-resource R", "print the inventory as an RFC 20 resource set");
  parser.example("fq resource R | fq R decode --short");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const cli::StoreSession store("fq-resource", common);
  manager::ResourceUse use;
  manager::query(store.get(), [&](const store::Reader& reader) { use = manager::resource_use(reader); });
  cli::print(use.inventory + "\n");
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"list", "list resources by state", list},
      {"R", "print the inventory as an RFC 20 resource set", print_r},
  };
  return cli::run_sub_command("fq-resource", "look at resources", commands, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-resource", argc, argv, run);
}
