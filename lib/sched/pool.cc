#include "sched/pool.h"

#include <algorithm>
#include <utility>

#include <absl/container/inlined_vector.h>

#include "base/error.h"
#include "document/resource/core_locality.h"
#include "document/resource/inventory_check.h"
#include "sched/pool_bits.h"

namespace fq::sched {

using document::ResourceSet;
using notation::Idset;

static_assert(Pool::kMaxPerNode == document::kMaxPerNode && Pool::kMaxUnits == document::kMaxUnits,
              "what is taken for an inventory fits");

namespace {

std::uint32_t checked_count(const Idset& ids, const char* what, std::uint32_t rank) {
  const std::uint64_t n = ids.count();
  if (n > Pool::kMaxPerNode) {
    throw error(Kind::invalid, "inventory: rank {} has {} {}, at most {} are possible", rank, n, what,
                Pool::kMaxPerNode);
  }
  return static_cast<std::uint32_t>(n);
}

// Whole nodes are most of what is planned with.
bool is_all(const ResourceSet::Node& part, const ResourceSet::Node& whole) {
  const auto same = [](const Idset& a, const Idset& b) {
    const std::size_t n = b.ranges().size();
    if (a.ranges().size() != n) return false;
    return n == 0 || (n == 1 ? a.first() == b.first() && a.last() == b.last() : a == b);
  };
  return same(part.cores, whole.cores) && same(part.gpus, whole.gpus);
}

}  // namespace

/// The bits that one node gains or loses.
struct Pool::Change {
  std::size_t node;
  absl::InlinedVector<std::uint64_t, 2> bits;
};

Pool::Pool(std::shared_ptr<const ResourceSet> inventory) : inventory_(std::move(inventory)) {
  nodes_.reserve(inventory_->nodes().size());
  std::uint64_t words = 0;
  for (const ResourceSet::Node& from : inventory_->nodes()) {
    Node node;
    node.first_word = static_cast<std::uint32_t>(words);
    node.cores = node.free_cores = checked_count(from.cores, "cores", from.rank);
    node.gpus = node.free_gpus = checked_count(from.gpus, "GPUs", from.rank);
    words += node.words();
    total_.nodes += 1;
    total_.cores += node.cores;
    total_.gpus += node.gpus;
    if (total_.cores + total_.gpus > kMaxUnits) {
      throw error(Kind::invalid, "inventory: more than {} cores and GPUs in all", kMaxUnits);
    }
    nodes_.push_back(node);
  }
  available_ = total_;
  taken_bits_.resize(words);
  dirty_.resize(chunk_count());
  if (!inventory_->scheduling.empty()) localities_ = read_localities(*inventory_);
}

// What cannot be read is as if it were not known: fsck says so.
std::shared_ptr<const Pool::Localities> Pool::read_localities(const ResourceSet& inventory) {
  try {
    const auto known = document::CoreLocality::parse(inventory.scheduling);
    if (known.hosts.empty()) return nullptr;
    Localities localities;
    for (std::size_t node = 0; node < inventory.nodes().size(); ++node) {
      const auto of_host = known.hosts.find(inventory.nodes()[node].host);
      if (of_host == known.hosts.end()) continue;
      std::vector<Locality>& groups = localities[node];
      for (const auto& [gpu, cores] : of_host->second) {
        const auto same = std::find_if(groups.begin(), groups.end(),
                                       [&, &of = cores](const Locality& each) { return each.cores == of; });
        Locality& group = same == groups.end() ? groups.emplace_back(Locality{{}, cores}) : *same;
        group.gpus.insert(gpu);
      }
    }
    return std::make_shared<const Localities>(std::move(localities));
  } catch (const Error&) {
    return nullptr;
  }
}

std::optional<std::size_t> Pool::find(std::uint32_t rank) const {
  const auto& nodes = inventory_->nodes();
  if (nodes.empty() || rank < nodes.front().rank) return std::nullopt;
  // Where no rank is left out below it, this is its place, and else it comes before that.
  const std::size_t last = std::min<std::size_t>(rank - nodes.front().rank, nodes.size() - 1);
  if (nodes[last].rank == rank) return last;
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(last);
  const auto at = std::lower_bound(
      nodes.begin(), end, rank, [](const ResourceSet::Node& node, std::uint32_t r) { return node.rank < r; });
  if (at == end || at->rank != rank) return std::nullopt;
  return static_cast<std::size_t>(at - nodes.begin());
}

std::vector<Pool::Change> Pool::changes(const ResourceSet& r, bool take) const {
  std::vector<Change> result;
  result.reserve(r.nodes().size());
  for (const ResourceSet::Node& part : r.nodes()) {
    const auto place = find(part.rank);
    if (!place) throw error(Kind::internal, "resource pool: rank {} is not in the inventory", part.rank);
    const Node& node = nodes_[*place];
    const ResourceSet::Node& whole = inventory_->nodes()[*place];
    Change change{*place, decltype(Change::bits)(node.words())};
    if (!set_places(change.bits.data(), part.cores, whole.cores, 0) ||
        !set_places(change.bits.data(), part.gpus, whole.gpus, node.cores)) {
      throw error(
          Kind::internal, "resource pool: rank {} has cores '{}' and GPUs '{}', not cores '{}' and GPUs '{}'",
          part.rank, whole.cores.encode(), whole.gpus.encode(), part.cores.encode(), part.gpus.encode());
    }
    const std::uint64_t* taken = taken_bits_.data() + node.first_word;
    for (std::size_t i = 0; i < change.bits.size(); ++i) {
      const std::uint64_t wrong = change.bits[i] & (take ? taken[i] : ~taken[i]);
      if (wrong == 0) continue;
      throw error(Kind::internal,
                  "resource pool: of cores '{}' and GPUs '{}' of rank {} some are {} allocated",
                  part.cores.encode(), part.gpus.encode(), part.rank, take ? "already" : "not");
    }
    result.push_back(std::move(change));
  }
  return result;
}

void Pool::apply(const Change& change) {
  Node& node = nodes_[change.node];
  count_out(node);
  for (std::size_t i = 0; i < change.bits.size(); ++i) taken_bits_[node.first_word + i] ^= change.bits[i];
  recount(node);
  count_in(node);
  dirty_[change.node / kChunkNodes] = true;
}

void Pool::apply(const std::vector<Change>& changes) {
  for (const Change& change : changes) apply(change);
  ++version_;
}

void Pool::allocate(const ResourceSet& r) {
  apply(changes(r, true));
}

void Pool::release(const ResourceSet& r) {
  apply(changes(r, false));
}

void Pool::block(const ResourceSet& r) {
  for (const ResourceSet::Node& part : r.nodes()) block(part);
}

Pool::Change Pool::bits_of(std::size_t place, const ResourceSet::Node& part) const {
  const Node& node = nodes_[place];
  const ResourceSet::Node& whole = inventory_->nodes()[place];
  Change change{place, decltype(Change::bits)(node.words())};
  std::uint64_t* bits = change.bits.data();
  // What the inventory no longer has is left out.
  if (!set_places(bits, part.cores, whole.cores, 0))
    set_places(bits, part.cores.intersect(whole.cores), whole.cores, 0);
  if (!set_places(bits, part.gpus, whole.gpus, node.cores))
    set_places(bits, part.gpus.intersect(whole.gpus), whole.gpus, node.cores);
  return change;
}

void Pool::block(const ResourceSet::Node& part) {
  const auto place = find(part.rank);
  if (!place || nodes_[*place].full()) return;
  if (Node& node = nodes_[*place]; is_all(part, inventory_->nodes()[*place])) {
    count_out(node);
    set_bits(taken_bits_.data() + node.first_word, 0, node.bits());
    node.free_cores = node.free_gpus = 0;
    count_in(node);
    dirty_[*place / kChunkNodes] = true;
    ++version_;
    return;
  }
  Change change = bits_of(*place, part);
  const std::uint64_t* taken = taken_bits_.data() + nodes_[*place].first_word;
  for (std::size_t i = 0; i < change.bits.size(); ++i) change.bits[i] &= ~taken[i];
  apply(change);
  ++version_;
}

void Pool::unblock(const ResourceSet::Node& part) {
  const auto place = find(part.rank);
  if (!place) return;
  if (Node& node = nodes_[*place]; is_all(part, inventory_->nodes()[*place])) {
    count_out(node);
    std::fill_n(taken_bits_.data() + node.first_word, node.words(), 0);
    node.free_cores = node.cores;
    node.free_gpus = node.gpus;
    count_in(node);
    dirty_[*place / kChunkNodes] = true;
    ++version_;
    return;
  }
  Change change = bits_of(*place, part);
  const std::uint64_t* taken = taken_bits_.data() + nodes_[*place].first_word;
  for (std::size_t i = 0; i < change.bits.size(); ++i) change.bits[i] &= taken[i];
  apply(change);
  ++version_;
}

std::vector<std::size_t> Pool::dirty_chunks() const {
  std::vector<std::size_t> chunks;
  for (std::size_t chunk = 0; chunk < dirty_.size(); ++chunk) {
    if (dirty_[chunk]) chunks.push_back(chunk);
  }
  return chunks;
}

void Pool::copy_node(const Pool& from, std::size_t node) {
  Node& to = nodes_[node];
  count_out(to);
  std::copy_n(from.taken_bits_.begin() + to.first_word, to.words(), taken_bits_.begin() + to.first_word);
  recount(to);
  count_in(to);
  dirty_[node / kChunkNodes] = true;
  ++version_;
}

bool Pool::is_free(const ResourceSet& r) const {
  for (const ResourceSet::Node& part : r.nodes()) {
    const auto place = find(part.rank);
    if (!place || !nodes_[*place].usable()) return false;
    const Node& node = nodes_[*place];
    const ResourceSet::Node& whole = inventory_->nodes()[*place];
    absl::InlinedVector<std::uint64_t, 2> bits(node.words());
    if (!set_places(bits.data(), part.cores, whole.cores, 0) ||
        !set_places(bits.data(), part.gpus, whole.gpus, node.cores)) {
      return false;
    }
    const std::uint64_t* taken = taken_bits_.data() + node.first_word;
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if ((bits[i] & taken[i]) != 0) return false;
    }
  }
  return true;
}

ResourceSet Pool::allocated() const {
  ResourceSet result;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.idle()) continue;
    const ResourceSet::Node& whole = inventory_->nodes()[i];
    const std::uint64_t* taken = taken_bits_.data() + node.first_word;
    result.add(
        {whole.rank, whole.host, taken_ids(taken, whole.cores, 0), taken_ids(taken, whole.gpus, node.cores)});
  }
  return result;
}

void Pool::count_in(const Node& node) {
  if (!node.idle()) taken_.nodes += 1;
  taken_.cores += node.cores - node.free_cores;
  taken_.gpus += node.gpus - node.free_gpus;
  if (!node.usable()) return;
  if (node.idle()) available_.nodes += 1;
  available_.cores += node.free_cores;
  available_.gpus += node.free_gpus;
}

void Pool::count_out(const Node& node) {
  if (!node.idle()) taken_.nodes -= 1;
  taken_.cores -= node.cores - node.free_cores;
  taken_.gpus -= node.gpus - node.free_gpus;
  if (!node.usable()) return;
  if (node.idle()) available_.nodes -= 1;
  available_.cores -= node.free_cores;
  available_.gpus -= node.free_gpus;
}

void Pool::recount(Node& node) {
  const std::uint64_t* taken = taken_bits_.data() + node.first_word;
  node.free_cores = node.cores - count_bits(taken, 0, node.cores);
  node.free_gpus = node.gpus - count_bits(taken, node.cores, node.gpus);
}

void Pool::set_flag(const Idset& ranks, bool Node::*flag, bool value) {
  bool changed = false;
  ranks.intersect(inventory_->ranks()).for_each([&](std::uint32_t rank) {
    Node& node = nodes_[*find(rank)];
    if (node.*flag == value) return;
    count_out(node);
    if (!node.usable()) --unusable_;
    node.*flag = value;
    if (!node.usable()) ++unusable_;
    count_in(node);
    changed = true;
  });
  if (!changed) return;
  ++version_;
  ++usable_version_;
}

Idset Pool::flagged(bool Node::*flag) const {
  Idset ranks;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].*flag) ranks.insert(rank(i));
  }
  return ranks;
}

void Pool::set_down(const Idset& ranks, bool down) {
  set_flag(ranks, &Node::down, down);
}

void Pool::set_drained(const Idset& ranks, bool drained) {
  set_flag(ranks, &Node::drained, drained);
}

Idset Pool::down() const {
  return flagged(&Node::down);
}

Idset Pool::drained() const {
  return flagged(&Node::drained);
}

}  // namespace fq::sched
