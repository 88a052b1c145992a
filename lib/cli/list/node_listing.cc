#include "cli/list/node_listing.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"
#include "document/resource/resource_set.h"
#include "notation/fluid.h"
#include "request/nodes.h"

namespace fq::cli {

using document::ResourceSet;
using nlohmann::json;
using notation::Idset;
using request::ResourceUse;

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
    NamedFormat{"default", "the usual columns", "{state:>11}{up:>3} {nnodes:>6} {nodelist}"},
    NamedFormat{"long", "with reasons or ranks", "{state:>11}{up:>3} {nnodes:>6} +:{reason:<6} {nodelist}"},
};

constexpr std::array kDrainFormats{
    NamedFormat{"default", "the usual columns",
                "{timestamp!d:%b%d %R::<12} {state:<8.8} +:{reason:<6} {nodelist}"},
    NamedFormat{"long", "with reasons or ranks",
                "{timestamp!d:%b%d %R::<12} {state:<8.8} {ranks:<8} +:{reason:<6} {nodelist}"},
};

constexpr std::array<std::string_view, 10> kNodeStates{
    "avail", "exclude", "drain", "draining", "drained", "leaving", "allocated", "online", "offline", "all"};

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

// What drained nodes may differ in: state, time and reason.
using Alike = std::map<std::tuple<double, std::string, std::string_view>, Idset>;

// Of nodes that are out of use for something else, too, that is told.
Alike drained_alike(const ResourceUse& use, const Idset& ranks) {
  Alike alike;
  for (const auto& [rank, drain] : use.drains) {
    if (!ranks.contains(rank) || use.leaving.contains(rank) || use.excluded.ranks().contains(rank)) continue;
    alike[{drain.time, drain.reason, drain_state(use, rank)}].insert(rank);
  }
  return alike;
}

// Whether rows of `state` are shown, be it that there are no nodes in it.
bool is_wanted(std::string_view state, bool empty, const ResourceChoice& choice) {
  const auto named = [&](std::string_view name) {
    return std::find(choice.states.begin(), choice.states.end(), name) != choice.states.end();
  };
  if (empty && choice.empty_rows == false) return false;
  if (named(state)) return true;
  if (state == "drain") return false;
  if (named("all")) return true;
  if (!is_usual(state) || !(choice.states.empty() || named("online"))) return false;
  return state == "avail" || !empty || choice.empty_rows == true;
}

std::vector<NodeRow> state_rows(const ResourceUse& use, const Idset& ranks, const ResourceChoice& choice,
                                bool tells_reasons) {
  std::vector<NodeRow> rows;
  const auto add = [&](std::string_view state, const Idset& in_state) {
    Idset chosen = in_state.intersect(ranks);
    if (is_wanted(state, chosen.empty(), choice)) rows.push_back({state, 0, {}, std::move(chosen), {}});
  };
  const Alike alike = drained_alike(use, ranks);
  const auto add_drained = [&](std::string_view state) {
    Idset all;
    std::vector<NodeRow> apart;
    for (const auto& [what, nodes] : alike) {
      const auto& [time, reason, of_these] = what;
      if (state != "drain" && state != of_these) continue;
      all = all.unite(nodes);
      apart.push_back({state, time, reason, nodes, {}});
    }
    if (all.empty() || !tells_reasons) return add(state, all);
    if (is_wanted(state, false, choice)) rows.insert(rows.end(), apart.begin(), apart.end());
  };
  add("avail", use.inventory.ranks().subtract(ranks_out_of_use(use)));
  add("exclude", use.excluded.ranks().subtract(use.leaving));
  for (const std::string_view state : {"drain", "draining", "drained"}) add_drained(state);
  add("leaving", use.leaving);
  add("allocated", use.allocated.ranks());
  name_nodes(use, rows);
  return rows;
}

std::vector<NodeRow> drain_rows(const ResourceUse& use, const Idset& ranks) {
  std::vector<NodeRow> rows;
  for (const auto& [key, nodes] : drained_alike(use, ranks)) {
    rows.push_back({std::get<2>(key), std::get<0>(key), std::get<1>(key), nodes, {}});
  }
  name_nodes(use, rows);
  return rows;
}

// Whether rows tell for these options since when or why nodes are drained.
bool tells_reasons(const ListingOptions& options) {
  if (options.json) return true;
  std::vector<NodeRow> none;
  const auto format = arrange<NodeRow>(none, options, "resource", kNodeStateFormats, kNodeFields);
  const std::vector<SortKey> keys = sort_keys<NodeRow>(options, format, kNodeFields);
  const auto is_it = [](std::string_view name) { return name == "timestamp" || name == "reason"; };
  return format.shows("timestamp") || format.shows("reason") ||
         std::any_of(keys.begin(), keys.end(),
                     [&](const SortKey& key) { return is_it(kNodeFields.at(key.field).name); });
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
  return list_nodes(state_rows(use, chosen_ranks(use, choice), choice, tells_reasons(options)), options,
                    kNodeStateFormats);
}

std::string list_drains(const ResourceUse& use, const ResourceChoice& choice, const ListingOptions& options) {
  return list_nodes(drain_rows(use, chosen_ranks(use, choice)), options, kDrainFormats);
}

std::span<const std::string_view> node_states() {
  return kNodeStates;
}

void check_node_state_listing(const ResourceChoice& choice, const ListingOptions& options) {
  check_states(choice, kNodeStates);
  check_arrangement<NodeRow>(options, "resource", kNodeStateFormats, kNodeFields);
}

void check_drain_listing(const ListingOptions& options) {
  check_arrangement<NodeRow>(options, "resource", kDrainFormats, kNodeFields);
}

std::optional<std::string> node_state_formats_told(const ListingOptions& options) {
  return told_of_formats<NodeRow>(options, "resource", kNodeStateFormats, kNodeFields);
}

std::optional<std::string> drain_formats_told(const ListingOptions& options) {
  return told_of_formats<NodeRow>(options, "resource", kDrainFormats, kNodeFields);
}

}  // namespace fq::cli
