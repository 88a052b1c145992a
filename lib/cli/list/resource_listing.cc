#include "cli/list/resource_listing.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"
#include "document/resource/resource_set.h"
#include "request/nodes.h"

namespace fq::cli {

using document::ResourceSet;
using nlohmann::json;
using notation::Idset;
using request::ResourceUse;

namespace {

struct ResourceRow {
  std::string_view state;
  std::string queue;
  std::vector<std::string> names;  ///< of properties, but for those that queues gave
  std::string properties, propertiesx;
  std::uint64_t nnodes = 0, ncores = 0, ngpus = 0;
  std::string ranks, nodelist, rlist;
};

constexpr std::array kResourceFields{
    Field<ResourceRow>{"state", "STATE", "free, allocated, down, up or all",
                       [](const ResourceRow& r, std::string_view, std::string&) { return Value{r.state}; }},
    Field<ResourceRow>{"queue", "QUEUE", "the queue whose nodes these are",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.queue}};
                       }},
    Field<ResourceRow>{"properties", "PROPERTIES", "the properties of those nodes",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.properties}};
                       }},
    Field<ResourceRow>{"propertiesx", "PROPERTIES", "but for those with the name of a queue",
                       [](const ResourceRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.propertiesx}};
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
    NamedFormat{
        "default", "the usual columns",
        "{state:>10} ?+:{queue:<5} ?+:{propertiesx:<10} {nnodes:>6} {ncores:>6} {ngpus:>5} {nodelist}"},
    NamedFormat{"rlist", "which cores and gpus",
                "{state:>10} ?+:{queue:<5} ?+:{propertiesx:<10} {nnodes:>6} {ncores:>6} {ngpus:>5} {rlist}"},
};

constexpr std::array<std::string_view, 5> kStates{"free", "allocated", "down", "up", "all"};
constexpr std::array<std::string_view, 3> kUsualStates{"free", "allocated", "down"};

std::vector<std::string_view> wanted_states(const ResourceChoice& choice) {
  if (choice.states.empty()) return {kUsualStates.begin(), kUsualStates.end()};
  std::vector<std::string_view> states;
  for (const std::string_view state : kStates) {
    if (std::find(choice.states.begin(), choice.states.end(), state) != choice.states.end()) {
      states.push_back(state);
    }
  }
  return states;
}

/// What is in each state of `use`, which outlives this. Of what drained nodes have that is not allocated
/// nothing is free.
class Holdings {
 public:
  explicit Holdings(const ResourceUse& use)
      : use_(use),
        idle_(without_properties(use.inventory).subtract(use.allocated)),
        out_of_use_(ranks_out_of_use(use)) {}

  [[nodiscard]] ResourceSet in(std::string_view state) const {
    if (state == "all") return without_properties(use_.inventory);
    if (state == "allocated") return use_.allocated;
    if (state == "down") return idle_.subset(out_of_use_);
    ResourceSet free = idle_.subset(idle_.ranks().subtract(out_of_use_));
    return state == "free" ? free : free.unite(use_.allocated);
  }
  [[nodiscard]] ResourceSet in(const std::vector<std::string_view>& states) const {
    ResourceSet set;
    for (const std::string_view state : states) set = set.unite(in(state));
    return set;
  }

 private:
  const ResourceUse& use_;
  ResourceSet idle_;
  Idset out_of_use_;
};

/// Nodes that are to be in different rows, and what these rows show of them.
struct Part {
  Idset ranks;
  std::string queue;
  std::vector<std::string> names = {};  ///< of properties
  std::string others = {};              ///< those of them that are no queue's
};

/// What rows tell of state, queue and properties; those that differ in nothing of it are one.
struct Columns {
  bool state = true, queue = true, properties = true, propertiesx = true;
};

std::vector<Part> parts_by_queue(const ResourceUse& use, const ResourceChoice& choice, const Idset& ranks,
                                 const Columns& columns) {
  if (!columns.queue || use.queues.empty()) return {{ranks, {}}};
  std::vector<Part> parts;
  Idset left = choice.queues.empty() ? ranks : Idset{};
  for (const request::QueueNodes& queue : use.queues) {
    const bool named =
        std::find(choice.queues.begin(), choice.queues.end(), queue.name) != choice.queues.end();
    if (choice.queues.empty() ? queue.is_virtual : !named) continue;
    parts.push_back({queue.ranks.intersect(ranks), queue.name});
    left = left.subtract(queue.ranks);
  }
  if (!left.empty()) parts.push_back({left, {}});
  return parts;
}

// By the properties that the rows show; in the order of ranks.
std::vector<Part> parts_by_properties(const ResourceUse& use, const Idset& ranks, const Columns& columns) {
  if (!columns.properties && !columns.propertiesx) return {{ranks, {}}};
  std::set<std::string_view> queues;
  for (const request::QueueNodes& queue : use.queues) queues.insert(queue.name);
  std::map<std::uint32_t, std::vector<std::string>> of_rank;
  for (const auto& [name, with] : use.inventory.properties()) {
    if (name.starts_with('+') || (!columns.properties && queues.contains(name))) continue;
    with.intersect(ranks).for_each(
        [&, &property = name](std::uint32_t rank) { of_rank[rank].push_back(property); });
  }
  std::map<std::vector<std::string>, Idset> alike;
  Idset plain = ranks;
  for (const auto& [rank, names] : of_rank) {
    alike[names].insert(rank);
    plain.erase(rank);
  }
  std::vector<Part> parts;
  if (!plain.empty()) parts.push_back({plain, {}});
  for (const auto& [names, with] : alike) {
    std::vector<std::string> others;
    std::copy_if(names.begin(), names.end(), std::back_inserter(others),
                 [&](const std::string& name) { return !queues.contains(name); });
    parts.push_back({with, {}, names, join(others, ",")});
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.ranks.first() < b.ranks.first(); });
  return parts;
}

ResourceRow make_row(std::string_view state, std::string_view queue, const Part& kind,
                     const ResourceSet& set) {
  return {state,        std::string{queue}, kind.names,  join(kind.names, ","), kind.others,
          set.nnodes(), set.ncores(),       set.ngpus(), set.ranks().encode(),  set.nodelist(),
          set.summary()};
}

// A queue that has nothing in a state has an empty row for it, unless nodes were chosen: of these many states
// have none.
std::vector<ResourceRow> resource_rows(const ResourceUse& use, const ResourceChoice& choice,
                                       const Columns& columns) {
  const Holdings holdings(use);
  const Idset ranks = chosen_ranks(use, choice).intersect(use.inventory.ranks());
  const std::vector<Part> queues = parts_by_queue(use, choice, ranks, columns);
  const std::vector<Part> kinds = parts_by_properties(use, ranks, columns);
  std::vector<std::pair<std::string_view, ResourceSet>> states;
  const std::vector<std::string_view> wanted = wanted_states(choice);
  if (columns.state) {
    for (const std::string_view state : wanted) states.emplace_back(state, holdings.in(state));
  } else {
    states.emplace_back("", holdings.in(wanted));
  }
  const bool empty_rows = choice.empty_rows.value_or(choice.nodes.empty());
  std::vector<ResourceRow> rows;
  for (const auto& [state, all] : states) {
    for (const Part& queue : queues) {
      const std::size_t before = rows.size();
      for (const Part& kind : kinds) {
        const ResourceSet set = all.subset(queue.ranks.intersect(kind.ranks));
        if (!set.empty()) rows.push_back(make_row(state, queue.queue, kind, set));
      }
      if (rows.size() == before && empty_rows) rows.push_back(make_row(state, queue.queue, {}, {}));
    }
  }
  return rows;
}

// What the rows must tell for this format and these sort keys.
Columns columns_of(const ListingOptions& options) {
  if (options.json) return {};
  std::vector<ResourceRow> none;
  const auto format = arrange<ResourceRow>(none, options, "resource", kResourceFormats, kResourceFields);
  const std::vector<SortKey> keys = sort_keys<ResourceRow>(options, format, kResourceFields);
  const auto tells = [&](std::string_view name) {
    return format.shows(name) || std::any_of(keys.begin(), keys.end(), [&](const SortKey& key) {
             return kResourceFields.at(key.field).name == name;
           });
  };
  return {tells("state"), tells("queue"), tells("properties"), tells("propertiesx")};
}

}  // namespace

std::string list_resources(const ResourceUse& use, const ResourceChoice& choice,
                           const ListingOptions& options) {
  std::vector<ResourceRow> rows = resource_rows(use, choice, columns_of(options));
  auto format = arrange<ResourceRow>(rows, options, "resource", kResourceFormats, kResourceFields);
  if (!options.json) return format.list(rows, options.no_header);
  json states = json::array();
  for (const ResourceRow& r : rows) {
    json object{{"state", r.state},
                {"nnodes", r.nnodes},
                {"ncores", r.ncores},
                {"ngpus", r.ngpus},
                {"nodelist", r.nodelist}};
    if (!r.queue.empty()) object["queue"] = r.queue;
    if (!r.names.empty()) object["properties"] = r.names;
    states.push_back(std::move(object));
  }
  return dump_json({{"resources", std::move(states)}}) + "\n";
}

std::string leaving_words(const std::string& nodelist) {
  return fmt::format("jobs still run on {}: gone when they have ended", nodelist);
}

std::string resource_summary(const ResourceUse& use, const ResourceChoice& choice) {
  const ResourceSet set = chosen_resources(use, choice);
  return fmt::format("{}, {}, {}\n", counted(set.nnodes(), "Node"), counted(set.ncores(), "Core"),
                     counted(set.ngpus(), "GPU"));
}

ResourceSet chosen_resources(const ResourceUse& use, const ResourceChoice& choice) {
  const ResourceSet chosen = use.inventory.subset(chosen_ranks(use, choice));
  if (choice.states.empty()) return chosen;
  return chosen.intersect(Holdings(use).in(wanted_states(choice)));
}

std::span<const std::string_view> resource_states() {
  return kStates;
}

void check_resource_states(const ResourceChoice& choice) {
  check_states(choice, kStates);
}

void check_resource_listing(const ResourceChoice& choice, const ListingOptions& options) {
  check_resource_states(choice);
  check_arrangement<ResourceRow>(options, "resource", kResourceFormats, kResourceFields);
}

std::optional<std::string> resource_formats_told(const ListingOptions& options) {
  return told_of_formats<ResourceRow>(options, "resource", kResourceFormats, kResourceFields);
}

}  // namespace fq::cli
