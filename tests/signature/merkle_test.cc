#include "signature/merkle.h"

#include <gtest/gtest.h>

namespace fq::signature {
namespace {

std::string values_of(std::uint64_t index) {
  return "values " + std::to_string(index);
}

MerkleTree tree_of(std::uint64_t count) {
  MerkleTree tree;
  for (std::uint64_t i = 0; i < count; ++i) tree.add(values_of(i));
  return tree;
}

TEST(Merkle, every_leaf_is_proved_at_its_place_and_nothing_else_is) {
  // Trees of each size up to 40, and two of some thousands.
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 4096, 5001}) {
    MerkleTree tree = tree_of(count);
    const Hash root = tree.finish();
    for (std::uint64_t i = 0; i<count; i += count> 100 ? 97 : 1) {
      const std::string proof = tree.proof(i);
      EXPECT_TRUE(in_tree(root, count, i, values_of(i), proof)) << count << " " << i;
      EXPECT_FALSE(in_tree(root, count, i, values_of(i + 1), proof));
      EXPECT_FALSE(in_tree(root, count, i + 1, values_of(i), proof));
      EXPECT_FALSE(in_tree(root, count, i ^ 1, values_of(i), proof)) << count << " " << i;
      EXPECT_FALSE(in_tree(root, count, i, values_of(i), proof + std::string(32, '\0')));
      if (!proof.empty()) {
        EXPECT_FALSE(in_tree(root, count, i, values_of(i), proof.substr(32)));
        EXPECT_FALSE(in_tree(root, count, i, values_of(i), proof.substr(0, proof.size() - 1)));
        std::string changed = proof;
        changed[proof.size() / 2] ^= 1;
        EXPECT_FALSE(in_tree(root, count, i, values_of(i), changed));
      }
    }
    EXPECT_FALSE(in_tree(root, count, count, values_of(count), ""));
  }
}

TEST(Merkle, the_root_is_of_all_values_and_their_order) {
  const Hash root = tree_of(5).finish();
  EXPECT_EQ(root, tree_of(5).finish());
  EXPECT_NE(root, tree_of(6).finish());
  MerkleTree swapped;
  for (const std::uint64_t i : {0, 2, 1, 3, 4}) swapped.add(values_of(i));
  EXPECT_NE(root, swapped.finish());
}

TEST(Merkle, a_node_is_no_leaf) {
  // What is joined in a tree of two is not the values of a tree of one with the same root.
  MerkleTree tree = tree_of(2);
  const Hash root = tree.finish();
  const std::string right = tree.proof(0), left = tree.proof(1);
  EXPECT_FALSE(in_tree(root, 1, 0, left + right, ""));
  EXPECT_FALSE(in_tree(root, 1, 0, "\1" + left + right, ""));
}

}  // namespace
}  // namespace fq::signature
