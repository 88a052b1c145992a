#include "document/config/config_resource.h"

#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/inventory_check.h"

namespace fq::document {

using notation::Hostlist;
using notation::Idset;

namespace {

std::optional<ConfigAt> find_resource(const ConfigAt& root) {
  auto resource = root.find("resource");
  if (resource) {
    resource->allow_only({"config", "exclude", "norestrict", "noverify", "path", "scheduling"});
    for (const std::string_view key : {"norestrict", "noverify"}) {
      if (const auto flag = resource->find(key)) static_cast<void>(flag->as_boolean());
    }
  }
  return resource;
}

Idset as_idset(const ConfigAt& at) {
  return at.as_parsed([](const std::string& text) { return Idset::decode(text); });
}

// What the elements of resource.config say of hosts, put together.
class Nodes {
 public:
  void add(const ConfigAt& at) {
    at.allow_only({"cores", "gpus", "hosts", "properties"});
    const auto hosts = at.find("hosts");
    if (!hosts) throw at.fail("hosts is missing");
    const auto cores = at.find("cores"), gpus = at.find("gpus"), properties = at.find("properties");
    Idset ranks;
    for (const std::string& host : as_hosts(*hosts).hosts()) {
      const auto [known, is_new] = rank_of_.try_emplace(host, static_cast<std::uint32_t>(nodes_.size()));
      if (is_new) {
        if (nodes_.size() == ResourceSet::kMaxNodes) throw hosts->fail(too_many());
        nodes_.push_back({known->second, host, {}, {}});
      }
      ranks.insert(known->second);
    }
    const Idset core_ids = cores ? as_idset(*cores) : Idset{}, gpu_ids = gpus ? as_idset(*gpus) : Idset{};
    ranks.for_each([&](std::uint32_t rank) {
      nodes_[rank].cores = nodes_[rank].cores.unite(core_ids);
      nodes_[rank].gpus = nodes_[rank].gpus.unite(gpu_ids);
    });
    if (properties) add_properties(*properties, ranks);
  }

  [[nodiscard]] ResourceSet take(const ConfigAt& at) {
    ResourceSet set;
    for (ResourceSet::Node& node : nodes_) set.add(std::move(node));
    for (const auto& [name, ranks] : properties_) set.set_property(name, ranks);
    try {
      check_inventory(set);
    } catch (const Error& failure) {
      throw at.fail(failure.what());
    }
    return set;
  }

 private:
  static std::string too_many() { return fmt::format("more than {} nodes", ResourceSet::kMaxNodes); }

  void add_properties(const ConfigAt& at, const Idset& ranks) {
    for (const std::string& name : at.as_strings()) {
      try {
        check_property_name(name);
      } catch (const Error& failure) {
        throw at.fail(failure.what());
      }
      if (name.starts_with('+')) throw at.fail("properties that begin with + are those of queues");
      properties_[name] = properties_[name].unite(ranks);
    }
  }

  std::vector<ResourceSet::Node> nodes_;  ///< by rank
  std::map<std::string, std::uint32_t> rank_of_;
  std::map<std::string, Idset> properties_;
};

ResourceSet read_nodes_file(const ConfigAt& at, const ReadFile& read_file) {
  return at.as_parsed([&](const std::string& path) {
    auto set = ResourceSet::parse(read_file(path));
    set.drop_instance_local_properties();
    try {
      check_inventory(set);
    } catch (const Error& failure) {
      throw failure.within("R");
    }
    return set.rerank(set.hostlist());
  });
}

std::optional<ResourceSet> given_nodes(const ConfigAt& resource, const ReadFile& read_file) {
  const auto config = resource.find("config"), path = resource.find("path");
  if (config && path) throw path->fail("the nodes are those of resource.config");
  if (path) return read_nodes_file(*path, read_file);
  if (!config) return std::nullopt;
  Nodes nodes;
  const std::vector<ConfigAt> elements = config->elements();
  if (elements.empty()) throw config->fail("it has no nodes");
  for (const ConfigAt& element : elements) nodes.add(element);
  return nodes.take(*config);
}

std::string read_scheduling_file(const ConfigAt& at, const ReadFile& read_file) {
  return at.as_parsed([&](const std::string& path) {
    const nlohmann::json value = parse_json(read_file(path), "scheduling");
    if (const auto writer = JsonAt{value, "scheduling"}.object().find("writer"))
      static_cast<void>(writer->as_string());
    return dump_json(value);
  });
}

Idset some_of(const ConfigAt& at, const ResourceSet& inventory, const Idset& ranks) {
  if (ranks == inventory.ranks()) throw at.fail("no nodes would be left");
  return ranks;
}

}  // namespace

bool gives_nodes(const nlohmann::json& document) {
  const auto resource = document.find("resource");
  return resource != document.end() && (resource->contains("config") || resource->contains("path"));
}

std::optional<ResourceSet> configured_nodes(const ConfigAt& root, const ReadFile& read_file) {
  const auto resource = find_resource(root);
  if (!resource) return std::nullopt;
  auto nodes = given_nodes(*resource, read_file);
  if (const auto scheduling = resource->find("scheduling")) {
    if (!nodes) throw scheduling->fail("it is told of nodes that resource.config or resource.path gives");
    nodes->scheduling = read_scheduling_file(*scheduling, read_file);
  }
  return nodes;
}

ProbeConfig read_probe(const ConfigAt& root) {
  ProbeConfig probe;
  const auto resource = find_resource(root);
  if (!resource) return probe;
  if (const auto flag = resource->find("norestrict")) probe.restricted = !flag->as_boolean();
  if (const auto flag = resource->find("noverify")) probe.verified = !flag->as_boolean();
  return probe;
}

void verify_nodes(const ConfigAt& root, const ResourceSet& nodes, const ResourceSet& machine) {
  for (const ResourceSet::Node& there : machine.nodes()) {
    nodes.ranks_on(there.host).for_each([&](std::uint32_t rank) {
      const ResourceSet::Node& node = *nodes.find(rank);
      ResourceSet missing;
      missing.add({rank, node.host, node.cores.subtract(there.cores), node.gpus.subtract(there.gpus)});
      if (missing.ncores() + missing.ngpus() == 0) return;
      const auto resource = find_resource(root);
      const auto config = resource->find("config");
      throw(config ? *config : *resource->find("path"))
          .fail(fmt::format("host {} is this machine, which does not have {}", quote(node.host),
                            missing.summary().substr(missing.summary().find('/') + 1)),
                "resource.noverify = true lets it stand");
    });
  }
}

Idset read_excluded_nodes(const ConfigAt& root, const ResourceSet& inventory) {
  const auto resource = find_resource(root);
  if (!resource) return {};
  const auto exclude = resource->find("exclude");
  if (!exclude || exclude->as_string().empty()) return {};
  if (notation::is_idset_text(exclude->as_string())) {
    const Idset ranks = as_idset(*exclude);
    const Idset unknown = ranks.subtract(inventory.ranks());
    if (unknown.empty()) return some_of(*exclude, inventory, ranks);
    throw exclude->fail(fmt::format("there is no node of rank {}", unknown.encode()),
                        fmt::format("ranks are {}", inventory.ranks().encode()));
  }
  const Hostlist hosts = as_hosts(*exclude);
  for (const std::string& host : hosts.hosts()) {
    if (!inventory.ranks_on(host).empty()) continue;
    throw exclude->fail(fmt::format("there is no node {}", quote(host)),
                        "the nodes are " + inventory.nodelist());
  }
  return some_of(*exclude, inventory, inventory.ranks_on(hosts));
}

Hostlist as_hosts(const ConfigAt& at) {
  Hostlist hosts = at.as_parsed([](const std::string& text) { return Hostlist::decode(text); });
  if (hosts.empty()) throw at.fail("no hosts are named");
  Hostlist once = hosts;
  once.uniq();
  if (once.count() != hosts.count()) throw at.fail("a host is named twice");
  return hosts;
}

}  // namespace fq::document
