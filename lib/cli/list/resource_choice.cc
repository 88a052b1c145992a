#include "cli/list/resource_choice.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/text.h"
#include "document/config/queue_name.h"
#include "document/resource/named_ranks.h"
#include "request/nodes.h"

namespace fq::cli {

using document::ResourceSet;
using notation::Idset;
using request::ResourceUse;

namespace {

std::function<void(const std::string&)> add_to(std::vector<std::string>& list) {
  return [&list](const std::string& text) {
    for (const std::string_view each : split(text, ',')) list.emplace_back(each);
  };
}

}  // namespace

void add_queue_and_node_options(OptionParser& parser, ResourceChoice& choice) {
  const auto add = [&queues = choice.queues, all = false](const std::string& text) mutable {
    add_to(queues)(text);
    all = all || std::ranges::find(queues, "all") != queues.end();
    if (all) queues.clear();
  };
  parser.option("-q,--queue", "QUEUE,...", add, "of these queues");
  parser.option("-i,--include", "NODES", choice.nodes, "of these ranks or hosts");
}

void add_resource_options(OptionParser& parser, ResourceChoice& choice, const std::string& states_help) {
  parser.group("Which");
  parser.option("-s,--states", "STATE,...", add_to(choice.states), states_help);
  add_queue_and_node_options(parser, choice);
}

void add_empty_row_options(OptionParser& parser, ResourceChoice& choice) {
  parser.flag(
      "--skip-empty", [&] { choice.empty_rows = false; }, "leave out (or show) lines without nodes");
  parser.flag(
      "--no-skip-empty", [&] { choice.empty_rows = true; }, "");
  parser.rarely({"--skip-empty"});
}

std::string states_text(std::span<const std::string_view> known) {
  return "valid states: " + join(std::vector<std::string>(known.begin(), known.end()), ", ");
}

bool asks_for_states(const ResourceChoice& choice) {
  return choice.states == std::vector<std::string>{"help"};
}

void check_states(const ResourceChoice& choice, std::span<const std::string_view> known) {
  for (const std::string& state : choice.states) {
    if (std::find(known.begin(), known.end(), state) != known.end()) continue;
    throw Error{Kind::usage, fmt::format("there is no state {}", quote(state)), states_text(known)};
  }
}

Idset chosen_ranks(const ResourceUse& use, const ResourceChoice& choice) {
  Idset ranks = use.inventory.ranks().unite(use.excluded.ranks());
  if (!choice.nodes.empty()) {
    ranks = document::named_ranks(without_properties(use.inventory).unite(without_properties(use.excluded)),
                                  choice.nodes);
  }
  if (choice.queues.empty()) return ranks;
  Idset of_queues;
  for (const std::string& name : choice.queues) {
    const auto queue = std::find_if(use.queues.begin(), use.queues.end(),
                                    [&](const request::QueueNodes& each) { return each.name == name; });
    if (queue == use.queues.end()) {
      if (const std::string fault = document::queue_name_fault(name); !fault.empty())
        throw error(Kind::not_found, "queue {} does not exist: {}", quote(name), fault);
      std::vector<std::string> names;
      for (const request::QueueNodes& each : use.queues) names.push_back(each.name);
      throw Error{Kind::not_found, fmt::format("queue {} does not exist", quote(name)),
                  did_you_mean(name, names)};
    }
    of_queues = of_queues.unite(queue->ranks);
  }
  return ranks.intersect(of_queues);
}

Idset ranks_out_of_use(const ResourceUse& use) {
  Idset ranks = use.leaving;
  for (const auto& [rank, drain] : use.drains) ranks.insert(rank);
  return ranks;
}

ResourceSet without_properties(const ResourceSet& set) {
  ResourceSet plain;
  for (const ResourceSet::Node& node : set.nodes()) plain.add(node);
  return plain;
}

}  // namespace fq::cli
