#include "cli/submit/job_resources.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxCount = INT32_MAX;

/// The names of the options that count tasks, or slots.
struct SizeNames {
  std::string_view number, cores, gpus, unit;
};
constexpr SizeNames kTaskNames{"--ntasks", "--cores-per-task", "--gpus-per-task", "tasks"};
constexpr SizeNames kSlotNames{"--nslots", "--cores-per-slot", "--gpus-per-slot", "slots"};

using Count = std::optional<std::uint64_t>;

Count parse_count(std::string_view option, const std::optional<std::string>& text, std::uint64_t least) {
  if (!text) return std::nullopt;
  const auto number = parse_u64(*text);
  if (!number || *number < least || *number > kMaxCount) {
    throw error(Kind::usage, "{}: expected a whole number from {} to {}, got {}", option, least, kMaxCount,
                quote(*text));
  }
  return number;
}

struct Size {
  SizeNames names;
  Count nodes, number, cores_each, gpus_each;
  Count cores, tasks_per_node, tasks_per_core, gpus_per_node;
  bool exclusive;

  explicit Size(const SubmitOptions& options)
      : names(options.sizing == Sizing::slots ? kSlotNames : kTaskNames),
        nodes(parse_count("--nodes", options.nodes, 1)),
        number(parse_count(names.number, options.ntasks, 1)),
        cores_each(parse_count(names.cores, options.cores_per_task, 1)),
        gpus_each(parse_count(names.gpus, options.gpus_per_task, 0)),
        cores(parse_count("--cores", options.cores, 1)),
        tasks_per_node(parse_count("--tasks-per-node", options.tasks_per_node, 1)),
        tasks_per_core(parse_count("--tasks-per-core", options.tasks_per_core, 1)),
        gpus_per_node(parse_count("--gpus-per-node", options.gpus_per_node, 0)),
        exclusive(options.exclusive) {}
};

struct Given {
  const Count& count;
  std::string_view name;
};

/// The name of the first option that was given; empty where none was.
std::string_view first_given(std::initializer_list<Given> options) {
  for (const Given& option : options) {
    if (option.count) return option.name;
  }
  return {};
}

json slot(std::uint64_t count, std::uint64_t cores, std::uint64_t gpus) {
  json with = json::array({json{{"type", "core"}, {"count", cores}}});
  if (gpus > 0) with.push_back(json{{"type", "gpu"}, {"count", gpus}});
  return json{{"type", "slot"}, {"count", count}, {"label", "task"}, {"with", std::move(with)}};
}

json node(std::uint64_t count, bool exclusive, json slots) {
  json vertex{{"type", "node"}, {"count", count}, {"with", json::array({std::move(slots)})}};
  if (exclusive) vertex["exclusive"] = true;
  return vertex;
}

struct Shape {
  json resource;
  json task_count = {{"per_slot", 1}};
};

/// See set_resources.
Count number_of_tasks(const Size& size, bool per_resource) {
  if (!per_resource) return size.number.value_or(size.nodes.value_or(1));
  if (size.tasks_per_node) return size.nodes ? Count{*size.nodes * *size.tasks_per_node} : std::nullopt;
  if (size.tasks_per_core) {
    return size.cores && !size.exclusive ? Count{*size.cores * *size.tasks_per_core} : std::nullopt;
  }
  return size.nodes ? size.nodes : size.cores;
}

Shape per_task(const Size& size) {
  const std::uint64_t number = size.number.value_or(size.nodes.value_or(1));
  const std::uint64_t cores = size.cores_each.value_or(1);
  const std::uint64_t gpus = size.gpus_each.value_or(0);
  if (!size.nodes) {
    if (size.exclusive) throw Error{Kind::combination, "--exclusive needs --nodes"};
    return {slot(number, cores, gpus)};
  }
  const std::uint64_t nodes = *size.nodes;
  if (nodes > number) {
    throw error(Kind::combination, "--nodes={}: more nodes than {} ({}={})", nodes, size.names.unit,
                size.names.number, number);
  }
  const bool exclusive = size.exclusive || !size.number;
  Shape shape{node(nodes, exclusive, slot((number + nodes - 1) / nodes, cores, gpus))};
  if (number % nodes != 0) shape.task_count = {{"total", number}};
  return shape;
}

Shape per_resource(const Size& size, std::string_view option) {
  if (!size.nodes && !size.cores) {
    throw error(Kind::combination, "{} needs --nodes{}", option,
                option == "--gpus-per-node" ? "" : " or --cores");
  }
  if (!size.nodes) {
    if (size.exclusive) throw Error{Kind::combination, "--exclusive needs --nodes"};
    if (size.gpus_per_node) throw Error{Kind::combination, "--gpus-per-node needs --nodes"};
    return {slot(*size.cores, 1, 0)};
  }
  const std::uint64_t nodes = *size.nodes;
  const std::uint64_t gpus = size.gpus_per_node.value_or(0);
  if (!size.cores) return {node(nodes, true, slot(1, 1, gpus))};
  if (*size.cores % nodes != 0) {
    throw error(Kind::combination, "--cores={}: cannot be divided among {} nodes", *size.cores, nodes);
  }
  return {node(nodes, size.exclusive, slot(1, *size.cores / nodes, gpus))};
}

}  // namespace

std::optional<std::uint64_t> set_resources(json& jobspec, const SubmitOptions& options) {
  const Size size{options};
  const std::string_view resource = first_given({{size.cores, "--cores"},
                                                 {size.tasks_per_node, "--tasks-per-node"},
                                                 {size.tasks_per_core, "--tasks-per-core"},
                                                 {size.gpus_per_node, "--gpus-per-node"}});
  const std::string_view task = first_given({{size.number, size.names.number},
                                             {size.cores_each, size.names.cores},
                                             {size.gpus_each, size.names.gpus}});
  if (!resource.empty() && !task.empty()) {
    throw error(Kind::combination, "{} cannot be used with {}", task, resource);
  }
  if (size.tasks_per_node && size.tasks_per_core) {
    throw Error{Kind::combination, "--tasks-per-core cannot be used with --tasks-per-node"};
  }
  if (options.sizing == Sizing::slots && !size.number && !size.nodes) {
    throw Error{Kind::combination, "--nslots or --nodes is missing",
                "-n1 for one slot of a core, here or in the script: # fq: -n1"};
  }
  Shape shape = resource.empty() ? per_task(size) : per_resource(size, resource);
  jobspec["resources"] = json::array({std::move(shape.resource)});
  jobspec["tasks"] = json::array(
      {json{{"command", options.command}, {"slot", "task"}, {"count", std::move(shape.task_count)}}});
  if (size.tasks_per_node || size.tasks_per_core) {
    jobspec["attributes"]["system"]["shell"]["options"]["per-resource"] = {
        {"type", size.tasks_per_node ? "node" : "core"},
        {"count", size.tasks_per_node ? *size.tasks_per_node : *size.tasks_per_core}};
  }
  return number_of_tasks(size, !resource.empty());
}

}  // namespace fq::cli
