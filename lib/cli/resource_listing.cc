#include "cli/resource_listing.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "document/resource_set.h"
#include "manager/inventory.h"
#include "notation/fluid.h"

namespace fq::cli {

using document::ResourceSet;
using manager::ResourceUse;
using nlohmann::json;
using notation::Idset;

namespace {

struct ResourceRow {
  std::string_view state;
  std::string queue;
  std::uint64_t nnodes = 0, ncores = 0, ngpus = 0;
  std::string ranks, nodelist, rlist;
};

// Nodes in one state; of drained ones those with the same time and reason.
struct NodeRow {
  std::string_view state;
  double time = 0;
  std::string reason;
  Idset ranks;
  std::string nodelist;
};

Value integer(std::uint64_t number) {
  return Value{static_cast<std::int64_t>(number)};
}

std::string_view up_mark() {
  static const bool ascii = notation::prints_ascii();
  return ascii ? "y" : "✔";
}

constexpr std::array kResourceFields{
    Field<ResourceRow>{"state", "STATE", "free, allocated or down",
                       [](const ResourceRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<ResourceRow>{"queue", "QUEUE", "the queue whose nodes these are",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.queue}};
                       }},
    Field<ResourceRow>{
        "nnodes", "NNODES", "nodes with anything in this state",
        [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.nnodes); }},
    Field<ResourceRow>{
        "ncores", "NCORES", "cores in this state",
        [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.ncores); }},
    Field<ResourceRow>{"ngpus", "NGPUS", "gpus in this state",
                       [](const ResourceRow& r, std::string_view, std::string&) { return integer(r.ngpus); }},
    Field<ResourceRow>{"ranks", "RANKS", "the ranks of those nodes",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.ranks}};
                       }},
    Field<ResourceRow>{"nodelist", "NODELIST", "those nodes",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.nodelist}};
                       }},
    Field<ResourceRow>{"rlist", "LIST", "their cores and gpus in this state",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.rlist}};
                       }},
};

constexpr std::array kResourceFormats{
    NamedFormat{"default", "the usual columns",
                "{state:>10} ?+:{queue:<5} {nnodes:>6} {ncores:>6} {ngpus:>5} {nodelist}"},
    NamedFormat{"rlist", "which cores and gpus",
                "{state:>10} ?+:{queue:<5} {nnodes:>6} {ncores:>6} {ngpus:>5} {rlist}"},
};

constexpr std::array kNodeFields{
    Field<NodeRow>{"state", "STATE", "avail, exclude, draining, drained or leaving",
                   [](const NodeRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<NodeRow>{"up", "UP", "✔: the nodes are up",
                   [](const NodeRow&, std::string_view, std::string&) { return Value{up_mark()}; }},
    Field<NodeRow>{"nnodes", "NNODES", "how many they are",
                   [](const NodeRow& r, std::string_view, std::string&) { return integer(r.ranks.count()); }},
    Field<NodeRow>{"timestamp", "TIME", "since when they are drained",
                   [](const NodeRow& r, std::string_view, std::string&) {
                     return r.time > 0 ? Value{r.time} : Value{};
                   }},
    Field<NodeRow>{
        "reason", "REASON", "why",
        [](const NodeRow& r, std::string_view, std::string&) { return Value{std::string_view{r.reason}}; }},
    Field<NodeRow>{"ranks", "RANKS", "their ranks",
                   [](const NodeRow& r, std::string_view, std::string& scratch) {
                     return Value{std::string_view{scratch = r.ranks.encode()}};
                   }},
    Field<NodeRow>{
        "nodelist", "NODELIST", "their names",
        [](const NodeRow& r, std::string_view, std::string&) { return Value{std::string_view{r.nodelist}}; }},
};

constexpr std::array kNodeStateFormats{
    NamedFormat{"default", "the usual columns", "{state:>12}{up:>2} {nnodes:>6} {nodelist}"},
};

constexpr std::array kDrainFormats{
    NamedFormat{"default", "the usual columns",
                "{timestamp!d:%b%d %R::<12} {state:<8.8} +:{reason:<6} {nodelist}"},
};

// Those that get no new jobs.
Idset out_of_use(const ResourceUse& use) {
  Idset ranks = use.leaving;
  for (const auto& [rank, drain] : use.drains) ranks.insert(rank);
  return ranks;
}

// The same without properties, of which each queue may have given its own: parts of it are to be taken often.
ResourceSet without_properties(const ResourceSet& set) {
  ResourceSet plain;
  for (const ResourceSet::Node& node : set.nodes()) plain.add(node);
  return plain;
}

// Of what drained nodes have that is not allocated nothing is free.
std::vector<ResourceRow> resource_rows(const ResourceUse& use, const std::vector<std::string>& wanted) {
  const ResourceSet idle = without_properties(use.inventory).subtract(use.allocated);
  const Idset down = out_of_use(use);
  const std::array<std::pair<std::string_view, ResourceSet>, 3> states{
      {{"free", idle.subset(idle.ranks().subtract(down))},
       {"allocated", use.allocated},
       {"down", idle.subset(down)}}};
  auto queues = use.queues;
  if (queues.empty()) queues.emplace_back("", use.inventory.ranks());
  std::vector<ResourceRow> rows;
  for (const auto& [state, all] : states) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), state) == wanted.end()) continue;
    for (const auto& [queue, ranks] : queues) {
      const ResourceSet set = all.subset(ranks);
      rows.push_back({state, queue, set.nnodes(), set.ncores(), set.ngpus(), set.ranks().encode(),
                      set.nodelist(), set.summary()});
    }
  }
  return rows;
}

// Leaves of `use` what the choice names.
void choose(ResourceUse& use, const ResourceChoice& choice) {
  std::vector<std::string> names;
  for (const auto& [name, ranks] : use.queues) names.push_back(name);
  for (const std::string& queue : choice.queues) {
    if (std::find(names.begin(), names.end(), queue) != names.end()) continue;
    throw Error{Kind::not_found, fmt::format("no queue {} has nodes of its own", quote(queue)),
                did_you_mean(queue, names)};
  }
  if (!choice.queues.empty()) {
    std::erase_if(use.queues, [&](const auto& queue) {
      return std::find(choice.queues.begin(), choice.queues.end(), queue.first) == choice.queues.end();
    });
  }
  if (choice.nodes.empty()) return;
  const Idset ranks = manager::named_ranks(use.inventory, choice.nodes);
  use.inventory = use.inventory.subset(ranks);
  use.allocated = use.allocated.subset(ranks);
}

// The states of drained nodes: those that jobs still hold come to it yet.
std::string_view drain_state(const ResourceUse& use, std::uint32_t rank) {
  return use.allocated.find(rank) != nullptr ? "draining" : "drained";
}

void name_nodes(const ResourceUse& use, std::vector<NodeRow>& rows) {
  const ResourceSet all = without_properties(use.inventory).unite(without_properties(use.excluded));
  for (NodeRow& row : rows) row.nodelist = all.subset(row.ranks).nodelist();
}

std::vector<NodeRow> state_rows(const ResourceUse& use) {
  std::vector<NodeRow> rows{{"avail", 0, {}, use.inventory.ranks().subtract(out_of_use(use)), {}}};
  const auto add = [&](std::string_view state, Idset ranks) {
    if (!ranks.empty()) rows.push_back({state, 0, {}, std::move(ranks), {}});
  };
  add("exclude", use.excluded.ranks().subtract(use.leaving));
  for (const std::string_view state : {"draining", "drained"}) {
    Idset ranks;
    for (const auto& [rank, drain] : use.drains) {
      if (drain_state(use, rank) == state) ranks.insert(rank);
    }
    add(state, ranks.subtract(use.leaving).subtract(use.excluded.ranks()));
  }
  add("leaving", use.leaving);
  name_nodes(use, rows);
  return rows;
}

std::vector<NodeRow> drain_rows(const ResourceUse& use) {
  std::map<std::tuple<double, std::string, std::string_view>, Idset> alike;
  for (const auto& [rank, drain] : use.drains) {
    alike[{drain.time, drain.reason, drain_state(use, rank)}].insert(rank);
  }
  std::vector<NodeRow> rows;
  for (const auto& [key, ranks] : alike) {
    rows.push_back({std::get<2>(key), std::get<0>(key), std::get<1>(key), ranks, {}});
  }
  name_nodes(use, rows);
  return rows;
}

std::string list_nodes(std::vector<NodeRow> rows, const ListingOptions& options,
                       std::span<const NamedFormat> formats) {
  auto format = arrange<NodeRow>(rows, options, "resource", formats, kNodeFields);
  if (!options.json) return format.list(rows, options.no_header);
  json nodes = json::array();
  for (const NodeRow& row : rows) {
    json object{{"state", row.state}, {"ranks", row.ranks.encode()}, {"nodelist", row.nodelist}};
    object["nnodes"] = row.ranks.count();
    if (row.time > 0) object["timestamp"] = row.time;
    if (!row.reason.empty()) object["reason"] = row.reason;
    nodes.push_back(std::move(object));
  }
  return dump_json({{"nodes", std::move(nodes)}}) + "\n";
}

}  // namespace

std::string list_resources(ResourceUse use, const ResourceChoice& choice, const ListingOptions& options) {
  choose(use, choice);
  std::vector<ResourceRow> rows = resource_rows(use, choice.states);
  auto format = arrange<ResourceRow>(rows, options, "resource", kResourceFormats, kResourceFields);
  if (options.json) {
    json states = json::array();
    for (const ResourceRow& r : rows) {
      json object{{"state", r.state},
                  {"nnodes", r.nnodes},
                  {"ncores", r.ncores},
                  {"ngpus", r.ngpus},
                  {"nodelist", r.nodelist}};
      if (!r.queue.empty()) object["queue"] = r.queue;
      states.push_back(std::move(object));
    }
    return dump_json({{"resources", std::move(states)}}) + "\n";
  }
  return format.list(rows, options.no_header);
}

std::string list_node_states(const ResourceUse& use, const ListingOptions& options) {
  return list_nodes(state_rows(use), options, kNodeStateFormats);
}

std::string list_drains(const ResourceUse& use, const ListingOptions& options) {
  return list_nodes(drain_rows(use), options, kDrainFormats);
}

std::string leaving_line(const std::string& nodelist) {
  return fmt::format("jobs still run on {}: gone when they have ended\n", nodelist);
}

std::string resource_summary(const ResourceUse& use) {
  return fmt::format("{}, {}, {}\n", counted(use.inventory.nnodes(), "Node"),
                     counted(use.inventory.ncores(), "Core"), counted(use.inventory.ngpus(), "GPU"));
}

void check_resource_listing(const ResourceChoice& choice, const ListingOptions& options) {
  static const std::vector<std::string> kStates{"free", "allocated", "down"};
  for (const std::string& state : choice.states) {
    if (std::find(kStates.begin(), kStates.end(), state) != kStates.end()) continue;
    throw Error{Kind::usage, fmt::format("there is no state {}", quote(state)),
                "one of " + join(kStates, ", ")};
  }
  check_arrangement<ResourceRow>(options, "resource", kResourceFormats, kResourceFields);
}

void check_node_state_listing(const ListingOptions& options) {
  check_arrangement<NodeRow>(options, "resource", kNodeStateFormats, kNodeFields);
}

void check_drain_listing(const ListingOptions& options) {
  check_arrangement<NodeRow>(options, "resource", kDrainFormats, kNodeFields);
}

std::string resource_format_help() {
  return listing_help<ResourceRow>("resource", kResourceFormats, kResourceFields);
}

std::string node_state_format_help() {
  return listing_help<NodeRow>("resource", kNodeStateFormats, kNodeFields);
}

std::string drain_format_help() {
  return listing_help<NodeRow>("resource", kDrainFormats, kNodeFields);
}

}  // namespace fq::cli
