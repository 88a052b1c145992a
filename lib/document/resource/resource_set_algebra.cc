// Set algebra, selection and re-ranking of resource sets. Nodes ascend by rank in both operands, so that
// every operation is one walk over the two.

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/resource_set.h"

namespace fq::document {

using notation::Hostlist;
using notation::Idset;
using Node = ResourceSet::Node;

namespace {

/// Calls f(left node or null, right node or null) for every rank of either set, ascending.
template <class F>
void walk(const ResourceSet& left, const ResourceSet& right, F f) {
  auto a = left.nodes().begin();
  auto b = right.nodes().begin();
  while (a != left.nodes().end() || b != right.nodes().end()) {
    if (b == right.nodes().end() || (a != left.nodes().end() && a->rank < b->rank)) {
      f(&*a++, nullptr);
    } else if (a == left.nodes().end() || b->rank < a->rank) {
      f(nullptr, &*b++);
    } else {
      f(&*a++, &*b++);
    }
  }
}

void check_same_host(const Node& a, const Node& b) {
  if (a.host == b.host) return;
  throw error(Kind::invalid, "rank {} is on host {} in one resource set and on {} in the other", a.rank,
              quote(a.host), quote(b.host));
}

bool holds_nothing(const Node& node) {
  return node.cores.empty() && node.gpus.empty();
}

}  // namespace

ResourceSet ResourceSet::like(const ResourceSet* other) const {
  ResourceSet result;
  result.starttime = starttime;
  result.expiration = expiration;
  result.scheduling = scheduling.empty() && other != nullptr ? other->scheduling : scheduling;
  return result;
}

void ResourceSet::inherit(const Properties& properties) {
  for (const auto& [name, ranks] : properties) set_property(name, ranks.intersect(ranks_));
}

ResourceSet ResourceSet::unite(const ResourceSet& other) const {
  ResourceSet result = like(&other);
  walk(*this, other, [&](const Node* a, const Node* b) {
    Node node = a != nullptr ? *a : *b;
    if (a != nullptr && b != nullptr) {
      check_same_host(*a, *b);
      node.cores = a->cores.unite(b->cores);
      node.gpus = a->gpus.unite(b->gpus);
    }
    if (holds_nothing(node)) return;
    if (result.nodes().size() >= kMaxNodes) {
      throw error(Kind::invalid, "rank {}: a resource set has at most {} nodes", node.rank, kMaxNodes);
    }
    result.push_back(std::move(node));
  });
  result.inherit(properties_);
  result.inherit(other.properties_);
  return result;
}

ResourceSet ResourceSet::intersect(const ResourceSet& other) const {
  ResourceSet result = like(&other);
  walk(*this, other, [&](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr) return;
    check_same_host(*a, *b);
    Node node{a->rank, a->host, a->cores.intersect(b->cores), a->gpus.intersect(b->gpus)};
    if (!holds_nothing(node)) result.push_back(std::move(node));
  });
  result.inherit(properties_);
  return result;
}

ResourceSet ResourceSet::subtract(const ResourceSet& other) const {
  ResourceSet result = like();
  walk(*this, other, [&](const Node* a, const Node* b) {
    if (a == nullptr) return;
    Node node = *a;
    if (b != nullptr) {
      check_same_host(*a, *b);
      node.cores = a->cores.subtract(b->cores);
      node.gpus = a->gpus.subtract(b->gpus);
    }
    if (!holds_nothing(node)) result.push_back(std::move(node));
  });
  result.inherit(properties_);
  return result;
}

ResourceSet ResourceSet::append(const ResourceSet& other) const {
  const ResourceSet common = intersect(other);
  if (!common.empty()) {
    throw error(Kind::invalid, "the resource sets overlap in {}", quote(common.summary()));
  }
  return unite(other);
}

bool ResourceSet::contains(const ResourceSet& other) const {
  bool all = true;
  walk(*this, other, [&](const Node* a, const Node* b) {
    if (b == nullptr || holds_nothing(*b)) return;
    all =
        all && a != nullptr && a->host == b->host && a->cores.includes(b->cores) && a->gpus.includes(b->gpus);
  });
  return all;
}

bool ResourceSet::overlaps(const ResourceSet& other) const {
  bool any = false;
  walk(*this, other, [&](const Node* a, const Node* b) {
    if (a == nullptr || b == nullptr || a->host != b->host) return;
    any = any || a->cores.intersects(b->cores) || a->gpus.intersects(b->gpus);
  });
  return any;
}

ResourceSet ResourceSet::verify_against(const ResourceSet& expected) const {
  const Idset unknown = ranks_.subtract(expected.ranks_);
  if (!unknown.empty()) {
    throw error(Kind::refused, "{} {} not expected", unknown.count() == 1 ? "rank" : "ranks",
                unknown.encode() + (unknown.count() == 1 ? " is" : " are"));
  }
  const ResourceSet missing = expected.subset(ranks_).subtract(*this);
  if (!missing.empty()) throw error(Kind::refused, "missing resources: {}", missing.summary());
  return subtract(expected);
}

ResourceSet ResourceSet::subset(const Idset& ranks) const {
  ResourceSet result = like();
  auto at = nodes().begin();
  const Idset wanted = ranks.intersect(ranks_);
  for (const Idset::Range& range : wanted.ranges()) {
    at = std::lower_bound(at, nodes().end(), range.first,
                          [](const Node& node, std::uint32_t rank) { return node.rank < rank; });
    for (; at != nodes().end() && at->rank <= range.last; ++at) result.push_back(*at);
  }
  result.inherit(properties_);
  return result;
}

// ---- new ranks

ResourceSet ResourceSet::renumber(const std::vector<std::uint32_t>& new_ranks) const {
  ResourceSet result = like();
  result.nslots = nslots;
  std::vector<Node> renumbered = nodes();
  for (std::size_t place = 0; place < renumbered.size(); ++place) renumbered[place].rank = new_ranks[place];
  std::sort(renumbered.begin(), renumbered.end(),
            [](const Node& a, const Node& b) { return a.rank < b.rank; });
  for (Node& node : renumbered) result.push_back(std::move(node));
  for (const auto& [name, ranks] : properties_) {
    std::vector<std::uint32_t> moved;
    for (std::size_t place = 0; place < nodes().size(); ++place) {
      if (ranks.contains(nodes()[place].rank)) moved.push_back(new_ranks[place]);
    }
    std::sort(moved.begin(), moved.end());
    Idset& renamed = result.properties_[name];
    for (const std::uint32_t rank : moved) renamed.insert(rank);
  }
  return result;
}

ResourceSet ResourceSet::rerank(const Hostlist& hosts) const {
  if (hosts.count() != nodes().size()) {
    throw error(Kind::invalid, "{} hosts given for {} nodes", hosts.count(), nodes().size());
  }
  std::vector<std::uint32_t> new_ranks(nodes().size());
  std::vector<std::uint32_t> unused =
      host_index().next;  // by a host's first place: its next node without a rank
  std::vector<bool> seen(nodes().size(), false);
  std::uint32_t rank = 0;
  for (const std::string& host : hosts.hosts()) {
    const std::uint32_t first = first_on(host);
    if (first == kNone) throw error(Kind::invalid, "host {} is not in the resource set", quote(host));
    std::uint32_t place = first;
    if (seen[first]) {
      place = unused[first];
      if (place == kNone) {
        throw error(Kind::invalid, "host {} is named more often than it has ranks", quote(host));
      }
      unused[first] = host_index_.next[place];
    }
    seen[first] = true;
    new_ranks[place] = rank++;
  }
  return renumber(new_ranks);
}

ResourceSet ResourceSet::remap() const {
  std::vector<std::uint32_t> new_ranks(nodes().size());
  for (std::size_t place = 0; place < nodes().size(); ++place) {
    new_ranks[place] = static_cast<std::uint32_t>(place);
  }
  ResourceSet result = renumber(new_ranks);
  for (Node& node : result.own_nodes()) {
    const std::uint64_t ncores = node.cores.count();
    if (ncores > 0) node.cores = Idset::from_range(0, static_cast<std::uint32_t>(ncores - 1));
  }
  return result;
}

}  // namespace fq::document
