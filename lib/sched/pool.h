// The cores and GPUs of an inventory, and which of them are allocated: one bit each. Every allocation of a
// group of queues goes through one Pool, so nothing is ever given twice.
// Invariants: a bit is set exactly while some allocation holds it; the totals are those of the bits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/resource/resource_set.h"
#include "notation/idset.h"

namespace fq::sched {

/// Copies share the inventory and cost the bitmaps. Nodes are addressed by index: their place in the
/// inventory, which is by ascending rank.
class Pool {
 public:
  /// Nodes in one chunk of the stored form.
  static constexpr std::size_t kChunkNodes = 64;
  /// The most cores, and the most GPUs, of one node: bounds what a short idset can make the pool allocate.
  static constexpr std::uint64_t kMaxPerNode = 65536;
  static constexpr std::uint64_t kMaxUnits = std::uint64_t{1} << 28;

  struct Totals {
    std::uint64_t nodes = 0;
    std::uint64_t cores = 0;
    std::uint64_t gpus = 0;

    friend bool operator==(const Totals&, const Totals&) = default;
  };

  /// Everything free and up. REQUIRES a non-null inventory; `inventory` must not change any more. Throws
  /// Error{invalid} when it exceeds kMaxPerNode or kMaxUnits.
  explicit Pool(std::shared_ptr<const document::ResourceSet> inventory);

  [[nodiscard]] const document::ResourceSet& inventory() const { return *inventory_; }

  /// Marks the cores and GPUs of `r` allocated, or free. Throws Error{internal}, and changes nothing, when
  /// one of them is not in the inventory, is allocated already, or is not allocated.
  void allocate(const document::ResourceSet& r);
  void release(const document::ResourceSet& r);
  /// Marks allocated what of `r` is not yet, and is in the inventory.
  void block(const document::ResourceSet& r);
  /// The same for one node.
  void block(const document::ResourceSet::Node& part);
  /// Marks free what of it is allocated, and is in the inventory; for whoever plans on a copy.
  void unblock(const document::ResourceSet::Node& part);
  /// Makes what is allocated of a node the same as in `from`, a pool of the same inventory.
  void copy_node(const Pool& from, std::size_t node);
  /// Whether all of `r` is in the inventory, free, and on nodes that are usable.
  [[nodiscard]] bool is_free(const document::ResourceSet& r) const;
  /// All that is allocated.
  [[nodiscard]] document::ResourceSet allocated() const;

  /// Nodes that are down or drained get no new allocation and still count as part of the inventory. Down and
  /// drained are independent; ranks that are not in the inventory are passed over.
  void set_down(const notation::Idset& ranks, bool down = true);
  void set_drained(const notation::Idset& ranks, bool drained = true);
  [[nodiscard]] notation::Idset down() const;
  [[nodiscard]] notation::Idset drained() const;

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] std::uint32_t rank(std::size_t node) const { return inventory_->nodes()[node].rank; }
  /// The index of `rank`, or nothing when it is not in the inventory.
  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t cores(std::size_t node) const { return nodes_[node].cores; }
  [[nodiscard]] std::uint32_t gpus(std::size_t node) const { return nodes_[node].gpus; }
  // Not allocated, whether or not the node may be used.
  [[nodiscard]] std::uint32_t free_cores(std::size_t node) const { return nodes_[node].free_cores; }
  [[nodiscard]] std::uint32_t free_gpus(std::size_t node) const { return nodes_[node].free_gpus; }
  /// Whether no node is down or drained.
  [[nodiscard]] bool all_usable() const { return unusable_ == 0; }
  /// Neither down nor drained.
  [[nodiscard]] bool usable(std::size_t node) const { return nodes_[node].usable(); }
  /// Nothing of it is allocated.
  [[nodiscard]] bool idle(std::size_t node) const { return nodes_[node].idle(); }

  /// The `ncores` lowest free cores and `ngpus` lowest free GPUs of a node, as a node of R; where the
  /// inventory says which are near each other (document/resource/core_locality.h), GPUs that are near the
  /// same cores, and these cores, as far as they are free. REQUIRES that so many are free.
  [[nodiscard]] document::ResourceSet::Node pick(std::size_t node, std::uint32_t ncores,
                                                 std::uint32_t ngpus) const;

  /// The inventory's.
  [[nodiscard]] const Totals& total() const noexcept { return total_; }
  /// What is allocated; a node counts when anything of it is.
  [[nodiscard]] const Totals& taken() const noexcept { return taken_; }
  /// What a new allocation could get: free cores and GPUs of usable nodes, and usable nodes that are idle.
  [[nodiscard]] const Totals& available() const noexcept { return available_; }
  /// Changes whenever anything else here does; equal in a copy until either changes.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// Changes whenever a node becomes usable or unusable.
  [[nodiscard]] std::uint64_t usable_version() const noexcept { return usable_version_; }

  // The stored form of what is allocated, kChunkNodes nodes a chunk; its grammar stands in pool_chunks.cc.
  [[nodiscard]] std::size_t chunk_count() const;
  /// Empty when nothing in the chunk is allocated. REQUIRES chunk < chunk_count().
  [[nodiscard]] std::string encode_chunk(std::size_t chunk) const;
  /// Replaces what is allocated in the chunk. The chunk is not dirty then. Throws Error{invalid}, and changes
  /// nothing, when `bytes` are not what encode_chunk gives for this inventory.
  void decode_chunk(std::size_t chunk, std::string_view bytes);
  /// Chunks that allocate and release have changed since the last clear_dirty_chunks.
  [[nodiscard]] std::vector<std::size_t> dirty_chunks() const;
  void clear_dirty_chunks() { dirty_.assign(dirty_.size(), false); }

 private:
  struct Node {
    std::uint32_t first_word = 0;  ///< into taken_bits_
    std::uint32_t cores = 0, gpus = 0;
    std::uint32_t free_cores = 0, free_gpus = 0;
    bool down = false, drained = false;

    [[nodiscard]] std::uint32_t bits() const { return cores + gpus; }
    [[nodiscard]] std::uint32_t words() const { return (bits() + 63) / 64; }
    [[nodiscard]] bool idle() const { return free_cores == cores && free_gpus == gpus; }
    [[nodiscard]] bool full() const { return free_cores == 0 && free_gpus == 0; }
    [[nodiscard]] bool usable() const { return !down && !drained; }
  };
  struct Change;

  /// The bits of what of `part` the inventory's node has.
  [[nodiscard]] Change bits_of(std::size_t place, const document::ResourceSet::Node& part) const;
  [[nodiscard]] std::vector<Change> changes(const document::ResourceSet& r, bool take) const;
  void apply(const Change& change);
  void apply(const std::vector<Change>& changes);
  /// Counts the node into the totals, or out of them.
  void count_in(const Node& node);
  void count_out(const Node& node);
  /// Sets a node's free counts from its bits.
  void recount(Node& node);
  void set_flag(const notation::Idset& ranks, bool Node::*flag, bool value);
  [[nodiscard]] notation::Idset flagged(bool Node::*flag) const;

  /// GPUs with the same cores near them.
  struct Locality {
    notation::Idset gpus, cores;
  };
  using Localities = std::map<std::size_t, std::vector<Locality>>;  ///< by node

  [[nodiscard]] static std::shared_ptr<const Localities> read_localities(
      const document::ResourceSet& inventory);
  [[nodiscard]] notation::Idset near_gpus(std::size_t node, std::uint32_t ncores, std::uint32_t ngpus) const;
  [[nodiscard]] notation::Idset near_cores(std::size_t node, const notation::Idset& gpus,
                                           std::uint32_t ncores) const;

  std::shared_ptr<const document::ResourceSet> inventory_;
  std::shared_ptr<const Localities> localities_;  ///< null where nothing is known
  std::vector<Node> nodes_;
  /// Bit k of a node: its k-th core by ascending id, and bit cores + k its k-th GPU. Unused bits are 0.
  std::vector<std::uint64_t> taken_bits_;
  Totals total_, taken_, available_;
  std::size_t unusable_ = 0;  ///< nodes
  std::uint64_t version_ = 1, usable_version_ = 1;
  std::vector<bool> dirty_;  ///< chunks
};

}  // namespace fq::sched
