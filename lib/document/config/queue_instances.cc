#include "document/config/queue_instances.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "document/resource/constraint.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {

constexpr std::string_view kInstance = "instance";

Idset nodes_of(const Config& config, const QueueConfig& queue) {
  if (queue.constraint.empty()) return config.inventory.ranks();
  return Constraint::from_json_text(queue.constraint).match(config.inventory);
}

bool is_instance(const ConfigAt& queue) {
  const auto wanted = queue.find(kInstance);
  if (!wanted || !wanted->as_boolean()) return false;
  if (queue.find("parent")) throw wanted->fail("a virtual queue is where its parent is");
  return true;
}

// A queue that names no nodes has what instances leave.
void require_alone(const Config& config, const ConfigAt& at, const QueueInstance& instance) {
  for (const QueueConfig& other : config.queues) {
    if (other.constraint.empty() || other.name == instance.queue || other.parent == instance.queue) continue;
    const Idset both = nodes_of(config, other).intersect(instance.ranks);
    if (both.empty()) continue;
    throw at.fail(fmt::format("an instance has nodes of its own, and the queue {} has {}, too",
                              quote(other.name), config.inventory.subset(both).nodelist()));
  }
}

QueueInstance instance_of(const Config& config, const ConfigAt& at, const QueueConfig& queue) {
  if (queue.name == config.default_queue)
    throw at.fail("the default queue cannot be an instance",
                  "policy.jobspec.defaults.system.queue names another");
  if (!at.find("hosts") && !at.find("requires"))
    throw at.fail("an instance has nodes of its own", "hosts or requires name them");
  if (queue.name.front() == '.') throw at.fail("the name of an instance does not begin with a dot");
  QueueInstance instance{queue.name, queue.virtual_queues, nodes_of(config, queue).subtract(config.excluded)};
  instance.queues.push_back(queue.name);
  std::sort(instance.queues.begin(), instance.queues.end());
  if (instance.ranks.empty())
    throw at.fail("an instance has nodes of its own, and all of these are excluded");
  require_alone(config, at, instance);
  return instance;
}

// Names of queues that the instance does not have are not left in a list of what may be preempted.
void keep_known(json* table, const std::set<std::string>& foreign) {
  if (table == nullptr || !table->is_object()) return;
  const auto names = table->find("preempt");
  if (names == table->end() || !names->is_array()) return;
  json kept = json::array();
  for (const json& name : *names) {
    if (!name.is_string() || !foreign.contains(name.get<std::string>())) kept.push_back(name);
  }
  if (kept.empty()) {
    table->erase(names);
  } else {
    *names = std::move(kept);
  }
}

json* find(json* table, std::string_view key) {
  if (table == nullptr || !table->is_object()) return nullptr;
  const auto at = table->find(key);
  return at == table->end() ? nullptr : &*at;
}

}  // namespace

void part_instances(Config& config, const ConfigAt& root) {
  const auto queues = root.find("queues");
  if (!queues) return;
  Idset all;
  for (const ConfigAt& at : queues->members()) {
    if (!is_instance(at)) continue;
    const auto queue = std::find_if(config.queues.begin(), config.queues.end(),
                                    [&](const QueueConfig& each) { return each.name == at.key(); });
    config.instances.push_back(instance_of(config, at, *queue));
    all = all.unite(config.instances.back().ranks);
  }
  if (config.instances.empty()) return;
  std::sort(config.instances.begin(), config.instances.end(),
            [](const QueueInstance& a, const QueueInstance& b) { return a.queue < b.queue; });
  config.excluded = config.excluded.unite(all);
  if (config.excluded.includes(config.inventory.ranks()))
    throw queues->fail("the instances leave no node to the other queues");
  std::erase_if(config.queues, [&](const QueueConfig& queue) {
    return std::any_of(config.instances.begin(), config.instances.end(), [&](const QueueInstance& instance) {
      return std::binary_search(instance.queues.begin(), instance.queues.end(), queue.name);
    });
  });
}

std::size_t count_queues(const Config& config) {
  std::size_t count = config.queues.size();
  for (const QueueInstance& instance : config.instances) count += instance.queues.size();
  return count;
}

bool names_instances(const json& document) {
  const auto queues = document.find("queues");
  if (queues == document.end() || !queues->is_object()) return false;
  return std::any_of(queues->begin(), queues->end(),
                     [](const json& queue) { return queue.is_object() && queue.contains(kInstance); });
}

json instance_document(const json& document, const QueueInstance& instance) {
  json own = document;
  own.erase("resource");
  std::set<std::string> foreign;
  for (const auto& [name, queue] : document.at("queues").items()) {
    if (!std::binary_search(instance.queues.begin(), instance.queues.end(), name)) foreign.insert(name);
  }
  json& queues = own["queues"];
  for (const std::string& name : foreign) queues.erase(name);
  json& queue = queues[instance.queue];
  for (const std::string_view key : {"hosts", "requires", "instance"}) queue.erase(std::string{key});
  own["policy"]["jobspec"]["defaults"]["system"]["queue"] = instance.queue;
  keep_known(find(&own["policy"], "scheduler"), foreign);
  for (auto& [name, each] : queues.items()) keep_known(find(find(&each, "policy"), "scheduler"), foreign);
  if (json* qos = find(&own, "qos")) {
    for (auto& [name, each] : qos->items()) keep_known(&each, foreign);
  }
  return own;
}

ResourceSet instance_nodes(const ResourceSet& nodes, const QueueInstance& instance) {
  ResourceSet own = nodes.subset(instance.ranks);
  own.drop_instance_local_properties();
  return own;
}

}  // namespace fq::document
