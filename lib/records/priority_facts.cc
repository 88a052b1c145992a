#include "records/priority_facts.h"

#include <algorithm>

#include "base/json.h"
#include "document/resource/resource_set.h"
#include "records/instance.h"

namespace fq::records {

priority::Parameters priority_parameters(const document::QueuePolicy& policy) {
  return policy.priority.empty() ? priority::Parameters{}
                                 : priority::read_parameters(parse_json(policy.priority, "priority"));
}

bool needs_job_numbers(const std::vector<document::QueueConfig>& queues) {
  return std::any_of(queues.begin(), queues.end(), [](const document::QueueConfig& queue) {
    return priority_parameters(queue.policy).scheme == priority::Scheme::fcfs;
  });
}

const priority::Parameters& PriorityFacts::parameters(std::string_view queue) {
  const auto known = parameters_.find(queue);
  if (known != parameters_.end()) return known->second;
  const document::QueueConfig* config = queues_->find(queue);
  return parameters_
      .emplace(queue, config == nullptr ? priority::Parameters{} : priority_parameters(config->policy))
      .first->second;
}

double PriorityFacts::qos_factor(std::string_view qos) {
  if (!qos_) {
    qos_.emplace();
    for (const document::QosConfig& each : read_qos(*reader_)) qos_->emplace(each.name, each.factor);
  }
  // One that is configured no more counts as none.
  const auto found = qos_->find(qos);
  return found != qos_->end() ? found->second : qos_->at(std::string{priority::kNormal});
}

double PriorityFacts::fair_share(std::uint32_t userid, std::string_view bank) {
  return fair_shares_.of(userid, bank);
}

const priority::Machine& PriorityFacts::machine() {
  if (machine_) return *machine_;
  machine_.emplace();
  const auto inventory = document::ResourceSet::parse(read_inventory(*reader_));
  for (const document::ResourceSet::Node& node : inventory.nodes()) {
    ++machine_->nodes;
    machine_->cores_per_node =
        std::max(machine_->cores_per_node, static_cast<std::uint32_t>(node.cores.count()));
    machine_->gpus_per_node =
        std::max(machine_->gpus_per_node, static_cast<std::uint32_t>(node.gpus.count()));
  }
  return *machine_;
}

}  // namespace fq::records
