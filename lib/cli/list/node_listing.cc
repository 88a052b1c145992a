#include "cli/list/node_listing.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/list/format.h"
#include "cli/list/listing.h"
#include "document/resource_set.h"
#include "notation/fluid.h"

namespace fq::cli {

using document::ResourceSet;
using manager::ResourceUse;
using nlohmann::json;
using notation::Idset;

namespace {

// Nodes in one state; of drained ones those with the same time and reason.
struct NodeRow {
  std::string_view state;
  double time = 0;
  std::string reason;
  Idset ranks;
  std::string nodelist;
};

std::string_view up_mark() {
  static const bool ascii = notation::prints_ascii();
  return ascii ? "y" : "✔";
}

constexpr std::array kNodeFields{
    Field<NodeRow>{"state", "STATE", "avail, exclude, draining, drained, leaving",
                   [](const NodeRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<NodeRow>{"statex", "STATE", "the same: no node is offline",
                   [](const NodeRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<NodeRow>{
        "status", "STATUS", "online",
        [](const NodeRow&, std::string_view, std::string&) { return Value{std::string_view{"online"}}; }},
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

constexpr std::array<std::string_view, 7> kNodeStates{"avail",   "exclude", "drain",    "draining",
                                                      "drained", "leaving", "allocated"};

// Those of which each node has one.
bool is_usual(std::string_view state) {
  return state != "drain" && state != "allocated";
}

// The states of drained nodes: those that jobs still hold come to it yet.
std::string_view drain_state(const ResourceUse& use, std::uint32_t rank) {
  return use.allocated.find(rank) != nullptr ? "draining" : "drained";
}

void name_nodes(const ResourceUse& use, std::vector<NodeRow>& rows) {
  const ResourceSet all = without_properties(use.inventory).unite(without_properties(use.excluded));
  for (NodeRow& row : rows) row.nodelist = all.subset(row.ranks).nodelist();
}

std::vector<NodeRow> state_rows(const ResourceUse& use, const Idset& ranks,
                                const std::vector<std::string>& wanted) {
  std::vector<NodeRow> rows;
  const auto add = [&](std::string_view state, const Idset& in_state) {
    const bool named = std::find(wanted.begin(), wanted.end(), state) != wanted.end();
    Idset chosen = in_state.intersect(ranks);
    const bool usual = wanted.empty() && (state == "avail" || (!chosen.empty() && is_usual(state)));
    if (named || usual) rows.push_back({state, 0, {}, std::move(chosen), {}});
  };
  Idset draining, drained;
  for (const auto& [rank, drain] : use.drains) {
    if (use.leaving.contains(rank) || use.excluded.ranks().contains(rank)) continue;
    (drain_state(use, rank) == "drained" ? drained : draining).insert(rank);
  }
  add("avail", use.inventory.ranks().subtract(ranks_out_of_use(use)));
  add("exclude", use.excluded.ranks().subtract(use.leaving));
  add("drain", drained.unite(draining));
  add("draining", draining);
  add("drained", drained);
  add("leaving", use.leaving);
  add("allocated", use.allocated.ranks());
  name_nodes(use, rows);
  return rows;
}

std::vector<NodeRow> drain_rows(const ResourceUse& use, const Idset& ranks) {
  std::map<std::tuple<double, std::string, std::string_view>, Idset> alike;
  for (const auto& [rank, drain] : use.drains) {
    if (ranks.contains(rank)) alike[{drain.time, drain.reason, drain_state(use, rank)}].insert(rank);
  }
  std::vector<NodeRow> rows;
  for (const auto& [key, nodes] : alike) {
    rows.push_back({std::get<2>(key), std::get<0>(key), std::get<1>(key), nodes, {}});
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

std::string list_node_states(const ResourceUse& use, const ResourceChoice& choice,
                             const ListingOptions& options) {
  return list_nodes(state_rows(use, chosen_ranks(use, choice), choice.states), options, kNodeStateFormats);
}

std::string list_drains(const ResourceUse& use, const ResourceChoice& choice, const ListingOptions& options) {
  return list_nodes(drain_rows(use, chosen_ranks(use, choice)), options, kDrainFormats);
}

void check_node_state_listing(const ResourceChoice& choice, const ListingOptions& options) {
  check_states(choice, kNodeStates);
  check_arrangement<NodeRow>(options, "resource", kNodeStateFormats, kNodeFields);
}

void check_drain_listing(const ListingOptions& options) {
  check_arrangement<NodeRow>(options, "resource", kDrainFormats, kNodeFields);
}

std::string node_state_format_help() {
  return listing_help<NodeRow>("resource", kNodeStateFormats, kNodeFields);
}

std::string drain_format_help() {
  return listing_help<NodeRow>("resource", kDrainFormats, kNodeFields);
}

}  // namespace fq::cli
