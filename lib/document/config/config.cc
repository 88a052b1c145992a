#include "document/config/config.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_policy.h"
#include "document/config/config_resource.h"
#include "document/config/queue_groups.h"
#include "document/config/queue_instances.h"
#include "document/config/queue_name.h"
#include "document/resource/constraint.h"
#include "notation/hostlist.h"

namespace fq::document {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;

namespace {

constexpr std::string_view kAllHosts = "all";

void check_name(const ConfigAt& at) {
  if (const std::string fault = queue_name_fault(at.key()); !fault.empty()) throw at.fail(fault);
}

// The names after `properties`, and hosts after `hostlist`, anywhere in a constraint that has been checked.
void collect(const json& constraint, std::vector<std::string>& properties, std::vector<std::string>& hosts) {
  for (const auto& [operation, values] : constraint.items()) {
    for (const json& value : values) {
      if (value.is_object()) {
        collect(value, properties, hosts);
      } else if (operation == "properties") {
        const auto& name = value.get_ref<const std::string&>();
        properties.push_back(name.starts_with('^') ? name.substr(1) : name);
      } else if (operation == "hostlist") {
        for (std::string& host : Hostlist::decode(value.get_ref<const std::string&>()).hosts()) {
          hosts.push_back(std::move(host));
        }
      }
    }
  }
}

class Reader {
 public:
  Reader(const ConfigSource* source, const ResourceSet& inventory, const PolicyReaders& readers)
      : source_(source), readers_(readers) {
    config_.inventory = inventory;
    config_.inventory.drop_instance_local_properties();
  }

  Config read(const json& document) {
    config_.document = document;
    const ConfigAt root(config_.document, source_);
    root.allow_only({"access", "accounting", "exec", "job-manager", "jobs", "log", "policy", "qos", "queues",
                     "resource"});
    if (const auto accounting = root.find("accounting")) {
      check_opaque(*accounting, readers_.accounting);
      config_.accounting = dump_json(accounting->value());
    }
    config_.excluded = read_excluded_nodes(root, config_.inventory);
    config_.exec = read_exec(root);
    config_.qos = read_qos(root, readers_.limits);
    config_.retention = read_retention(root);
    config_.access = read_access(root);
    config_.log = read_log(root);
    const auto policy = root.find("policy");
    if (policy) check_policy(*policy, PolicyOf::all_queues, readers_);
    const json general = with_perilogs(root, policy ? policy->value() : json::object());
    const auto queues = root.find("queues");
    if (!queues || queues->members().empty()) {
      read_anonymous(root, general);
    } else {
      read_queues(*queues, general);
      choose_default(root, *queues);
    }
    check_preempted(root);
    check_commands(root, queues);
    part_instances(config_, root);
    return std::move(config_);
  }

 private:
  void read_anonymous(const ConfigAt& root, const json& general) {
    const auto wanted = default_queue(root);
    if (wanted) throw wanted->fail("no queues are configured");
    QueueConfig& queue = config_.queues.emplace_back();
    queue.policy = compile_policy(general);
    if (const auto policy = root.find("policy")) check_agreement(*policy, queue.policy);
    check_agreement(root, queue.policy.prolog);
  }

  // What is run around the jobs of all queues beside their general policy.
  [[nodiscard]] json with_perilogs(const ConfigAt& root, json policy) const {
    for (const std::string_view name : {"job-manager", "jobs"}) {
      if (const auto table = root.find(name)) merge_perilogs(*table, policy);
    }
    return policy;
  }

  void merge_perilogs(const ConfigAt& table, json& policy) const {
    for (const PerilogKind kind : kPerilogKinds) {
      const auto own = table.find(document::name(kind));
      if (!own) continue;
      check_perilog(*own, kind, readers_.program);
      policy[std::string{document::name(kind)}].merge_patch(own->value());
    }
  }

  // A table that makes nothing run has lost its command, or the name of it is misspelled.
  void check_commands(const ConfigAt& root, const std::optional<ConfigAt>& queues) const {
    for (const std::string_view name : {"job-manager", "jobs"}) {
      if (const auto table = root.find(name)) check_commands(*table, [](const QueueConfig&) { return true; });
    }
    for (const ConfigAt& at : queues ? queues->members() : std::vector<ConfigAt>{}) {
      check_commands(
          at, [&](const QueueConfig& queue) { return queue.name == at.key() || queue.parent == at.key(); });
    }
  }

  template <typename IsOf>
  void check_commands(const ConfigAt& table, const IsOf& is_of) const {
    for (const PerilogKind kind : kPerilogKinds) {
      const auto own = table.find(document::name(kind));
      if (!own || own->find("command")) continue;
      const bool is_run =
          std::any_of(config_.queues.begin(), config_.queues.end(), [&](const QueueConfig& queue) {
            return is_of(queue) && !queue.policy.perilog(kind).command.empty();
          });
      if (!is_run)
        throw own->fail("it has no command, and nothing would be run",
                        "command = \"\" says that nothing is to be run");
    }
  }

  void read_queues(const ConfigAt& queues, const json& general) {
    const std::vector<ConfigAt> members = queues.members();
    for (const ConfigAt& at : members) names_.emplace_back(at.key());
    for (const ConfigAt& at : members) {
      check_name(at);
      at.allow_only(
          {"requires", "hosts", "parent", "policy", "prolog", "epilog", "housekeeping", "instance"});
      const auto parent = at.find("parent");
      if (parent) check_virtual(at, queues, *parent);
      if (const auto policy = at.find("policy")) {
        check_policy(*policy, parent ? PolicyOf::virtual_queue : PolicyOf::queue, readers_);
      }
      if (!parent) add_queue(at, {}, general);
    }
    for (const ConfigAt& at : members) {
      const auto parent = at.find("parent");
      if (!parent) continue;
      const ConfigAt of = *queues.find(parent->as_string());
      add_queue(at, parent->as_string(), merged(general, of));
      config_.queues.back().constraint = constraints_.at(parent->as_string());
    }
    std::sort(config_.queues.begin(), config_.queues.end(),
              [](const QueueConfig& a, const QueueConfig& b) { return a.name < b.name; });
    for (QueueConfig& queue : config_.queues) {
      const auto children = virtual_queues_.find(queue.name);
      if (children != virtual_queues_.end()) queue.virtual_queues = children->second;
    }
  }

  [[nodiscard]] json merged(json policy, const ConfigAt& queue) const {
    if (const auto own = queue.find("policy")) policy.merge_patch(own->value());
    merge_perilogs(queue, policy);
    return policy;
  }

  void add_queue(const ConfigAt& at, const std::string& parent, const json& inherited) {
    QueueConfig queue;
    queue.name = at.key();
    queue.parent = parent;
    queue.policy = compile_policy(merged(inherited, at));
    queue.tier = tier_of(queue.policy);
    check_agreement(at, queue.policy);
    check_agreement(at, queue.policy.prolog);
    if (parent.empty()) queue.constraint = read_constraint(at);
    constraints_[queue.name] = queue.constraint;
    if (!parent.empty()) virtual_queues_[parent].push_back(queue.name);
    config_.queues.push_back(std::move(queue));
  }

  [[nodiscard]] std::uint16_t tier_of(const QueuePolicy& policy) const {
    return policy.scheduler.empty() ? std::uint16_t{0}
                                    : readers_.scheduler(parse_json(policy.scheduler, "scheduler")).tier;
  }

  // Whose jobs may be preempted is said by names of what there is.
  void check_preempted(const ConfigAt& root) const {
    std::vector<std::string> known = names_;
    for (const QosConfig& qos : config_.qos) known.push_back(qos.name);
    const auto check = [&](const ConfigAt& at, const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        throw at.fail(fmt::format("there is no quality of service and no queue {}", quote(name)),
                      did_you_mean(name, known));
      }
    };
    const auto check_policy = [&](const ConfigAt& of) {
      const auto policy = of.find("policy");
      const auto scheduler = policy ? policy->find("scheduler") : std::nullopt;
      const auto preempt = scheduler ? scheduler->find("preempt") : std::nullopt;
      if (preempt) check(*preempt, readers_.scheduler(scheduler->value()).preempt);
    };
    check_policy(root);
    if (const auto queues = root.find("queues")) {
      for (const ConfigAt& queue : queues->members()) check_policy(queue);
    }
    if (const auto table = root.find("qos")) {
      for (const ConfigAt& qos : table->members()) {
        if (const auto preempt = qos.find("preempt")) check(*preempt, preempt->as_strings());
      }
    }
  }

  void check_virtual(const ConfigAt& at, const ConfigAt& queues, const ConfigAt& parent) const {
    const auto of = queues.find(parent.as_string());
    if (!of) {
      throw parent.fail(fmt::format("there is no queue {}", quote(parent.as_string())),
                        did_you_mean(parent.as_string(), names_));
    }
    if (of->find("parent")) {
      throw parent.fail(fmt::format("the queue {} is a virtual one itself", quote(parent.as_string())));
    }
    for (const std::string_view key : {"requires", "hosts"}) {
      if (const auto own = at.find(key)) throw own->fail("a virtual queue has the nodes of its parent");
    }
  }

  [[nodiscard]] std::string read_constraint(const ConfigAt& at) {
    const auto requires_ = at.find("requires");
    const auto hosts = at.find("hosts");
    if (requires_ && hosts) throw hosts->fail("a queue has either hosts or requires");
    if (hosts) return read_hosts(at.key(), *hosts);
    if (requires_) return read_requires(*requires_);
    return {};
  }

  [[nodiscard]] std::string read_hosts(std::string_view name, const ConfigAt& at) {
    Idset ranks = config_.inventory.ranks();
    if (const std::string& text = at.as_string(); text != kAllHosts) {
      const Hostlist hosts = as_hosts(at);
      require_hosts(at, hosts.hosts());
      ranks = config_.inventory.ranks_on(hosts);
    }
    config_.inventory.set_property(membership_property(name), ranks);
    return dump_json({{"properties", {membership_property(name)}}});
  }

  [[nodiscard]] std::string read_requires(const ConfigAt& at) const {
    json constraint = at.value();
    if (constraint.is_array()) constraint = {{"properties", at.as_strings()}};
    if (!constraint.is_object()) throw at.fail("expected an array of properties, or a table (RFC 31)");
    std::optional<Constraint> parsed;
    try {
      parsed = Constraint::parse(JsonAt{constraint, {}});
    } catch (const Error& failure) {
      throw at.fail(failure.what(), failure.hint());
    }
    std::vector<std::string> properties, hosts;
    collect(constraint, properties, hosts);
    for (const std::string& property : properties) require_property(at, property);
    require_hosts(at, hosts);
    if (parsed->matches_all()) return {};
    if (parsed->match(config_.inventory).empty()) throw at.fail("no node satisfies this");
    return dump_json(join_constraints({constraint}));
  }

  void require_property(const ConfigAt& at, const std::string& property) const {
    if (!config_.inventory.ranks_with(property).empty()) return;
    std::vector<std::string> known;
    for (const auto& [name, ranks] : config_.inventory.properties())
      known.push_back(name.substr(0, name.find('@')));
    throw at.fail(fmt::format("no node has the property {}", quote(property)), did_you_mean(property, known));
  }

  void require_hosts(const ConfigAt& at, const std::vector<std::string>& hosts) const {
    for (const std::string& host : hosts) {
      if (!config_.inventory.ranks_on(host).empty()) continue;
      throw at.fail(fmt::format("there is no node {}", quote(host)),
                    "the nodes are " + config_.inventory.nodelist());
    }
  }

  [[nodiscard]] static std::optional<ConfigAt> default_queue(const ConfigAt& root) {
    std::optional<ConfigAt> at = root;
    for (const std::string_view key : {"policy", "jobspec", "defaults", "system", "queue"}) {
      at = at->find(key);
      if (!at) break;
    }
    return at;
  }

  void choose_default(const ConfigAt& root, const ConfigAt& queues) {
    if (const auto wanted = default_queue(root)) {
      config_.default_queue = wanted->as_string();
      if (std::find(names_.begin(), names_.end(), config_.default_queue) != names_.end()) return;
      throw wanted->fail(fmt::format("there is no queue {}", quote(config_.default_queue)),
                         did_you_mean(config_.default_queue, names_));
    }
    if (names_.size() > 1) {
      throw queues.fail("of several queues one must be the default",
                        "policy.jobspec.defaults.system.queue = \"" + names_.front() + "\"");
    }
    config_.default_queue = names_.front();
  }

  const ConfigSource* source_;
  const PolicyReaders& readers_;
  Config config_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> constraints_;                  ///< of each queue by its name
  std::map<std::string, std::vector<std::string>> virtual_queues_;  ///< by the name of their parent
};

}  // namespace

std::string membership_property(std::string_view queue) {
  return fmt::format("+{}", queue);
}

Config read_config(const json& document, const ConfigSource* source, const ResourceSet& inventory,
                   const PolicyReaders& readers) {
  Config config = Reader(source, inventory, readers).read(document);
  form_groups(config);
  return config;
}

std::string encode_queue(const QueueConfig& queue) {
  return dump_json({{"parent", queue.parent},
                    {"constraint", queue.constraint},
                    {"policy", encode_policy(queue.policy)},
                    {"virtual_queues", queue.virtual_queues},
                    {"group", queue.group},
                    {"tier", queue.tier}});
}

QueueConfig decode_queue(std::string_view name, std::string_view text) {
  const json document = parse_json(text, "queue configuration");
  const JsonAt at{document, "queue configuration"};
  QueueConfig queue;
  queue.name = name;
  queue.parent = at.at("parent").as_string();
  queue.constraint = at.at("constraint").as_string();
  queue.policy = decode_policy(at.at("policy"));
  const JsonAt virtual_queues = at.at("virtual_queues").array();
  for (std::size_t i = 0; i < virtual_queues.size(); ++i) {
    queue.virtual_queues.push_back(virtual_queues.at(i).as_string());
  }
  queue.group =
      static_cast<std::uint32_t>(at.at("group").as_integer(0, std::numeric_limits<std::uint32_t>::max()));
  queue.tier =
      static_cast<std::uint16_t>(at.at("tier").as_integer(0, std::numeric_limits<std::uint16_t>::max()));
  return queue;
}

}  // namespace fq::document
