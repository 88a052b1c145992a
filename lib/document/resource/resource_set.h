// The resource set R (RFC 20, version 1): which cores and GPUs of which execution targets (ranks) on which
// hosts, as inventory, allocation or record. Set algebra works rank by rank.
// Invariants: ranks are unique and ascending; every rank of a property is in the set.
// Copies share their nodes until one of them changes, so that a copy costs the same whatever the size; not
// for concurrent use of copies.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "notation/hostlist.h"
#include "notation/idset.h"

namespace fq {
class JsonAt;
}

namespace fq::document {

/// Checks the name of a property (RFC 20): not empty, UTF-8, and without ! & ' " ^ ` | ( ). Throws
/// Error{invalid} `property 'a&b' has the illegal character '&'`.
void check_property_name(std::string_view name);

/// For how long a set without expiration is planned to be held, seconds.
inline constexpr double kEndlessHold = 365.0 * 24 * 3600;

class ResourceSet {
 public:
  /// One execution target and what the set holds of it.
  struct Node {
    std::uint32_t rank = 0;
    std::string host;
    notation::Idset cores;
    notation::Idset gpus;

    friend bool operator==(const Node&, const Node&) = default;
  };
  using Properties = std::map<std::string, notation::Idset, std::less<>>;

  /// The most nodes that one set may have: bounds what a short text like `"rank":"0-4000000000"` can ask for.
  static constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 18;

  ResourceSet() = default;

  /// Reads R. Keys that RFC 20 does not name are ignored, but for those of `children`: what a target controls
  /// must not be lost silently. Throws Error{invalid} `R: execution.R_lite[0].rank: …`.
  [[nodiscard]] static ResourceSet parse(std::string_view json_text);
  /// The same from a value already parsed; errors begin with its path.
  [[nodiscard]] static ResourceSet from_json(const JsonAt& at);

  /// Every R of a text in which they follow each other, as `flux R` reads and writes them. Throws
  /// Error{invalid}, where there are several with the number of the one that is wrong: `R object 2:
  /// execution: …`.
  [[nodiscard]] static std::vector<ResourceSet> parse_several(std::string_view json_texts);
  /// Nodes that are alike: each of `ranks`, on the host at its place in `hosts`, with `cores` and `gpus`.
  /// Throws Error{invalid} for more than kMaxNodes, or another number of hosts than ranks.
  [[nodiscard]] static ResourceSet uniform(const notation::Idset& ranks, const notation::Hostlist& hosts,
                                           const notation::Idset& cores, const notation::Idset& gpus);

  /// Canonical compact JSON: equal sets give equal texts. Targets that hold the same share one R_lite entry,
  /// entries are ordered by their lowest rank, and all hosts stand in one hostlist.
  [[nodiscard]] std::string encode() const;

  [[nodiscard]] bool empty() const noexcept { return nodes().empty(); }
  [[nodiscard]] std::uint64_t nnodes() const noexcept { return nodes().size(); }
  [[nodiscard]] std::uint64_t ncores() const;
  [[nodiscard]] std::uint64_t ngpus() const;
  /// By ascending rank. Valid until the set changes.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_ ? *nodes_ : kNoNodes; }
  /// The node of `rank`, or null. Valid until the set changes.
  [[nodiscard]] const Node* find(std::uint32_t rank) const;
  /// Valid until the set changes.
  [[nodiscard]] const notation::Idset& ranks() const noexcept { return ranks_; }
  /// The hosts by ascending rank.
  [[nodiscard]] notation::Hostlist hostlist() const;
  /// The same as RFC 29 text: `node[0-3]`.
  [[nodiscard]] std::string nodelist() const;
  /// The ranks on `host`; several where ranks share it, none where it is unknown. The first call after a
  /// change indexes the hosts: not for concurrent use of one object.
  [[nodiscard]] notation::Idset ranks_on(std::string_view host) const;
  /// The ranks on any of `hosts`; unknown hosts are passed over.
  [[nodiscard]] notation::Idset ranks_on(const notation::Hostlist& hosts) const;

  /// Adds a node. Throws Error{invalid} when its rank is there or the set would exceed kMaxNodes.
  void add(Node node);

  [[nodiscard]] const Properties& properties() const noexcept { return properties_; }
  /// Gives `name` to `ranks`, beside those that have it. Throws Error{invalid} for a name that
  /// check_property_name refuses and for ranks that are not in the set.
  void set_property(std::string_view name, const notation::Idset& ranks);
  /// Takes away the instance-local properties, whose names begin with `+` (RFC 20).
  void drop_instance_local_properties();
  /// The ranks to which property `name` applies: those given `name` or `name@suffix` (RFC 20).
  [[nodiscard]] notation::Idset ranks_with(std::string_view name) const;

  /// Checks starttime and expiration: finite, not negative, expiration after starttime where both are set.
  /// Throws Error{invalid}. Reading an R calls it.
  void verify() const;

  /// Whether the set is valid at `time`, in seconds since the epoch: from starttime, where set, to
  /// expiration, where set, both included.
  [[nodiscard]] bool valid_at(double time) const;

  // Set algebra. Cores and GPUs combine rank by rank; nodes left with neither are dropped. Ranks that both
  // sets have must be on the same host: else Error{invalid}. The result has the times of the left set, the
  // properties that remain meaningful, and the scheduling key of the left set, or else of the right one, but
  // no slots.
  [[nodiscard]] ResourceSet unite(const ResourceSet& other) const;
  [[nodiscard]] ResourceSet intersect(const ResourceSet& other) const;
  [[nodiscard]] ResourceSet subtract(const ResourceSet& other) const;
  /// unite for sets that share no core and no GPU. Throws Error{invalid} where they do.
  [[nodiscard]] ResourceSet append(const ResourceSet& other) const;
  /// Whether every core and GPU of `other` is in this set.
  [[nodiscard]] bool contains(const ResourceSet& other) const;
  /// Whether a core or GPU is in both.
  [[nodiscard]] bool overlaps(const ResourceSet& other) const;
  /// Compares with what the ranks of this set should have: throws Error{refused} for ranks that `expected`
  /// does not have and for resources that are missing (`missing resources: rank1/core[2-3]`), Error{invalid}
  /// for a rank on another host. Returns what this set has beyond that.
  [[nodiscard]] ResourceSet verify_against(const ResourceSet& expected) const;
  /// The nodes of `ranks`; ranks that are not in the set are passed over. Keeps times and scheduling, but no
  /// slots.
  [[nodiscard]] ResourceSet subset(const notation::Idset& ranks) const;

  /// The same nodes with ranks given by their place in `hosts`, first 0. Throws Error{invalid} unless `hosts`
  /// names every node exactly once; ranks that share a host keep their order. Keeps everything else.
  [[nodiscard]] ResourceSet rerank(const notation::Hostlist& hosts) const;
  /// The same nodes with ranks 0, 1, … in their order, and cores numbered likewise within each: the inventory
  /// of an instance that inherits this set. GPU ids are kept, for they name devices.
  [[nodiscard]] ResourceSet remap() const;

  /// One group of like nodes after another: `rank[0-1]/core[0-3] rank2/core0,gpu0`.
  [[nodiscard]] std::string summary() const;

  friend bool operator==(const ResourceSet& a, const ResourceSet& b) {
    return (a.nodes_ == b.nodes_ || a.nodes() == b.nodes()) && a.properties_ == b.properties_ &&
           a.nslots == b.nslots && a.starttime == b.starttime && a.expiration == b.expiration &&
           a.scheduling == b.scheduling;
  }

  /// Slots of an allocation; 0 in an inventory.
  std::uint32_t nslots = 0;
  /// Seconds since the epoch from which the set is valid; 0 is unset: any time.
  double starttime = 0;
  /// Seconds since the epoch after which it no longer is; 0 is unset: no end.
  double expiration = 0;
  /// The scheduler's own object as JSON text, carried along untouched; empty is none.
  std::string scheduling;
  /// The URI of the scheduler that wrote `scheduling`: its key `writer`, or `fluxion` (RFC 20).
  [[nodiscard]] std::string scheduling_writer() const;

 private:
  /// Nodes by host name: an open hash table of places in nodes_, and for each node the next one on its host.
  struct HostIndex {
    std::vector<std::uint32_t> slots;  ///< the place of a host's first node, or kNone; a power of two of them
    std::vector<std::uint32_t> next;   ///< the place of the next node on the same host, or kNone
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  [[nodiscard]] const HostIndex& host_index() const;
  /// The place of the first node on `host`, or kNone.
  [[nodiscard]] std::uint32_t first_on(std::string_view host) const;

  /// An empty set with the times and the scheduling key of this one, or else the scheduling key of `other`.
  [[nodiscard]] ResourceSet like(const ResourceSet* other = nullptr) const;
  /// Adds a node whose rank is above all others and whose host is known to be well-formed.
  void push_back(Node node);
  /// Takes over those of `properties` that concern ranks of this set.
  void inherit(const Properties& properties);
  /// The nodes by `new_ranks`, which gives each node's rank by its place.
  [[nodiscard]] ResourceSet renumber(const std::vector<std::uint32_t>& new_ranks) const;

  /// The nodes, to be changed: no longer shared.
  [[nodiscard]] std::vector<Node>& own_nodes();

  static const std::vector<Node> kNoNodes;
  std::shared_ptr<std::vector<Node>> nodes_;  ///< null: none
  notation::Idset ranks_;
  Properties properties_;
  mutable HostIndex host_index_;  ///< no slots when not made
};

}  // namespace fq::document
