// One signature for many jobs: a tree of hashes over their values (as in RFC 9162 §2.1), whose root is
// signed. A job carries the path from its leaf to the root.
//
//   leaf = BLAKE2b-256(0x00, index as 8 bytes little-endian, values)
//   node = BLAKE2b-256(0x01, left, right)
//
// Neighbours are joined level by level; the last of an odd number goes up as it is. A proof is the other node
// of each joining on the way, 32 bytes each, from the leaf up.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fq::signature {

using Hash = std::array<unsigned char, 32>;

class MerkleTree {
 public:
  /// The next leaf.
  void add(std::string_view values);
  [[nodiscard]] std::uint64_t size() const { return levels_.empty() ? 0 : levels_.front().size(); }
  /// Joins what was added. REQUIRES a leaf; none is added afterwards.
  Hash finish();
  /// REQUIRES finish and index < size.
  [[nodiscard]] std::string proof(std::uint64_t index) const;

 private:
  std::vector<std::vector<Hash>> levels_;  ///< the leaves first
};

/// Whether the tree of `count` leaves with that root has `values` at `index`.
[[nodiscard]] bool in_tree(const Hash& root, std::uint64_t count, std::uint64_t index,
                           std::string_view values, std::string_view proof);

}  // namespace fq::signature
