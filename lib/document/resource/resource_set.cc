#include "document/resource/resource_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/text.h"

namespace fq::document {

using notation::Hostlist;
using notation::Idset;

namespace {

/// What RFC 20 keeps out of property names.
constexpr std::string_view kIllegalInProperty = "!&'\"^`|()";

bool is_host_name(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '[' && c != ']' && c != ',';
  });
}

}  // namespace

void check_property_name(std::string_view name) {
  if (name.empty()) throw error(Kind::invalid, "a property needs a name");
  if (!is_valid_utf8(name)) throw error(Kind::invalid, "property {} is not UTF-8", quote(name));
  const std::size_t at = name.find_first_of(kIllegalInProperty);
  if (at == std::string_view::npos) return;
  throw error(Kind::invalid, "property {} has the illegal character {}", quote(name),
              name[at] == '\'' ? std::string{"\"'\""} : quote(name.substr(at, 1)));
}

constinit const std::vector<ResourceSet::Node> ResourceSet::kNoNodes;

std::vector<ResourceSet::Node>& ResourceSet::own_nodes() {
  if (!nodes_) {
    nodes_ = std::make_shared<std::vector<Node>>();
  } else if (nodes_.use_count() > 1) {
    nodes_ = std::make_shared<std::vector<Node>>(*nodes_);
  }
  return *nodes_;
}

std::uint64_t ResourceSet::ncores() const {
  std::uint64_t count = 0;
  for (const Node& node : nodes()) count += node.cores.count();
  return count;
}

std::uint64_t ResourceSet::ngpus() const {
  std::uint64_t count = 0;
  for (const Node& node : nodes()) count += node.gpus.count();
  return count;
}

const ResourceSet::Node* ResourceSet::find(std::uint32_t rank) const {
  const auto at = std::lower_bound(nodes().begin(), nodes().end(), rank,
                                   [](const Node& node, std::uint32_t wanted) { return node.rank < wanted; });
  return at != nodes().end() && at->rank == rank ? &*at : nullptr;
}

Hostlist ResourceSet::hostlist() const {
  Hostlist hosts;
  for (const Node& node : nodes()) hosts.append(node.host);
  return hosts;
}

std::string ResourceSet::nodelist() const {
  return hostlist().encode();
}

// ---- hosts

const ResourceSet::HostIndex& ResourceSet::host_index() const {
  if (!host_index_.slots.empty() || nodes().empty()) return host_index_;
  // Half of the slots stay free, so that a search for an unknown host ends soon.
  host_index_.slots.assign(std::bit_ceil(nodes().size() * 2), kNone);
  host_index_.next.assign(nodes().size(), kNone);
  const std::size_t mask = host_index_.slots.size() - 1;
  // From the back, so that each host's chain ascends.
  for (std::size_t place = nodes().size(); place-- > 0;) {
    const std::string& host = nodes()[place].host;
    std::size_t slot = std::hash<std::string_view>{}(host)&mask;
    while (host_index_.slots[slot] != kNone && nodes()[host_index_.slots[slot]].host != host) {
      slot = (slot + 1) & mask;
    }
    host_index_.next[place] = host_index_.slots[slot];
    host_index_.slots[slot] = static_cast<std::uint32_t>(place);
  }
  return host_index_;
}

std::uint32_t ResourceSet::first_on(std::string_view host) const {
  const HostIndex& index = host_index();
  if (index.slots.empty()) return kNone;
  const std::size_t mask = index.slots.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(host)&mask;
  while (index.slots[slot] != kNone && nodes()[index.slots[slot]].host != host) slot = (slot + 1) & mask;
  return index.slots[slot];
}

Idset ResourceSet::ranks_on(std::string_view host) const {
  Idset ranks;
  for (std::uint32_t place = first_on(host); place != kNone; place = host_index_.next[place]) {
    ranks.insert(nodes()[place].rank);
  }
  return ranks;
}

Idset ResourceSet::ranks_on(const Hostlist& hosts) const {
  // A list may name far more hosts than there are nodes: only those that both know are written out.
  const std::vector<std::string> names =
      hosts.count() <= nodes().size() ? hosts.hosts() : hostlist().intersect(hosts).hosts();
  std::vector<std::uint32_t> found;
  for (const std::string& name : names) {
    for (std::uint32_t place = first_on(name); place != kNone; place = host_index_.next[place]) {
      found.push_back(nodes()[place].rank);
    }
  }
  std::sort(found.begin(), found.end());
  Idset ranks;
  for (const std::uint32_t rank : found) ranks.insert(rank);
  return ranks;
}

// ---- changes

ResourceSet ResourceSet::uniform(const Idset& ranks, const Hostlist& hosts, const Idset& cores,
                                 const Idset& gpus) {
  if (ranks.count() > kMaxNodes) {
    throw error(Kind::invalid, "{} ranks are more than the {} nodes that a resource set may have",
                ranks.count(), kMaxNodes);
  }
  if (hosts.count() != ranks.count()) {
    throw error(Kind::invalid, "expected one host for each of the {} ranks, got {}", ranks.count(),
                hosts.count());
  }
  ResourceSet set;
  const std::vector<std::string> names = hosts.hosts();
  auto name = names.begin();
  ranks.for_each([&](std::uint32_t rank) { set.push_back({rank, *name++, cores, gpus}); });
  return set;
}

void ResourceSet::add(Node node) {
  if (!is_host_name(node.host)) {
    throw error(Kind::invalid, "rank {}: {} is not a host name", node.rank, quote(node.host));
  }
  if (nodes().size() >= kMaxNodes) {
    throw error(Kind::invalid, "rank {}: a resource set has at most {} nodes", node.rank, kMaxNodes);
  }
  if (nodes().empty() || nodes().back().rank < node.rank) return push_back(std::move(node));
  const auto at = std::lower_bound(nodes().begin(), nodes().end(), node.rank,
                                   [](const Node& other, std::uint32_t rank) { return other.rank < rank; });
  if (at->rank == node.rank) {
    throw error(Kind::invalid, "rank {} is in the resource set already, on host {}", node.rank,
                quote(at->host));
  }
  const auto place = at - nodes().begin();
  ranks_.insert(node.rank);
  own_nodes().insert(own_nodes().begin() + place, std::move(node));
  host_index_ = {};
}

void ResourceSet::push_back(Node node) {
  ranks_.insert(node.rank);
  own_nodes().push_back(std::move(node));
  if (!host_index_.slots.empty()) host_index_ = {};
}

void ResourceSet::set_property(std::string_view name, const Idset& ranks) {
  check_property_name(name);
  const Idset unknown = ranks.subtract(ranks_);
  if (!unknown.empty()) {
    throw error(Kind::invalid, "property {}: {} {} not in the resource set", quote(name),
                unknown.count() == 1 ? "rank" : "ranks",
                unknown.encode() + (unknown.count() == 1 ? " is" : " are"));
  }
  if (ranks.empty()) return;
  const auto at = properties_.find(name);
  if (at == properties_.end()) {
    properties_.emplace(name, ranks);
  } else {
    at->second = at->second.unite(ranks);
  }
}

void ResourceSet::drop_instance_local_properties() {
  std::erase_if(properties_, [](const auto& property) { return property.first.starts_with('+'); });
}

Idset ResourceSet::ranks_with(std::string_view name) const {
  Idset ranks;
  if (const auto at = properties_.find(name); at != properties_.end()) ranks = at->second;
  const std::string prefix = std::string{name} + '@';
  for (auto at = properties_.lower_bound(prefix);
       at != properties_.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at) {
    ranks = ranks.unite(at->second);
  }
  return ranks;
}

bool ResourceSet::valid_at(double time) const {
  return (starttime == 0 || time >= starttime) && (expiration == 0 || time <= expiration);
}

void ResourceSet::verify() const {
  const auto check = [](double time, std::string_view what) {
    if (std::isfinite(time) && time >= 0) return;
    throw error(Kind::invalid, "{} {} is not a time: expected seconds since the epoch, or 0 for unset", what,
                time);
  };
  check(starttime, "starttime");
  check(expiration, "expiration");
  if (starttime != 0 && expiration != 0 && expiration <= starttime) {
    throw error(Kind::invalid, "expiration {} is not after starttime {}", expiration, starttime);
  }
}

}  // namespace fq::document
