#include "cli/resource_listing.h"

#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "document/resource_set.h"

namespace fq::cli {
namespace {

struct ResourceRow {
  std::string_view state;
  std::uint64_t nnodes = 0, ncores = 0, ngpus = 0;
  std::string nodelist;
};

ResourceRow row(std::string_view state, const document::ResourceSet& set) {
  return {state, set.nnodes(), set.ncores(), set.ngpus(), set.nodelist()};
}

Value integer(std::uint64_t number) {
  return Value{static_cast<std::int64_t>(number)};
}

constexpr std::array kResourceFields{
    Field<ResourceRow>{"state", "STATE", "free, allocated or down",
                       [](const ResourceRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<ResourceRow>{
        "nnodes", "NNODES", "nodes with anything in this state",
        [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.nnodes); }},
    Field<ResourceRow>{
        "ncores", "NCORES", "cores in this state",
        [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.ncores); }},
    Field<ResourceRow>{"ngpus", "NGPUS", "gpus in this state",
                       [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.ngpus); }},
    Field<ResourceRow>{"nodelist", "NODELIST", "those nodes",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.nodelist}};
                       }},
};

constexpr std::array kResourceFormats{
    NamedFormat{"default", "the usual columns", "{state:>10} {nnodes:>6} {ncores:>6} {ngpus:>5} {nodelist}"},
};

}  // namespace

std::string list_resources(const manager::ResourceUse& use, const ListingOptions& options) {
  const auto inventory = document::ResourceSet::parse(use.inventory);
  const auto allocated =
      use.allocated.empty() ? document::ResourceSet{} : document::ResourceSet::parse(use.allocated);
  std::vector<ResourceRow> rows{row("free", inventory.subtract(allocated)), row("allocated", allocated),
                                row("down", {})};
  auto format = arrange<ResourceRow>(rows, options, kResourceFormats, kResourceFields);
  if (options.json) {
    nlohmann::json states = nlohmann::json::array();
    for (const ResourceRow& r : rows) {
      states.push_back({{"state", r.state},
                        {"nnodes", r.nnodes},
                        {"ncores", r.ncores},
                        {"ngpus", r.ngpus},
                        {"nodelist", r.nodelist}});
    }
    return dump_json({{"resources", std::move(states)}}) + "\n";
  }
  return format.list(rows, options.no_header);
}

std::string resource_format_help() {
  return format_help(kResourceFormats, field_names(std::span<const Field<ResourceRow>>(kResourceFields)));
}

}  // namespace fq::cli
