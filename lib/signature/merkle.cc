#include "signature/merkle.h"

#include <algorithm>

#include <sodium.h>

namespace fq::signature {
namespace {

Hash leaf_hash(std::uint64_t index, std::string_view values) {
  std::array<unsigned char, 9> head{};
  for (std::size_t i = 0; i < 8; ++i) head.at(i + 1) = static_cast<unsigned char>(index >> (8 * i));
  crypto_generichash_state state;
  ::crypto_generichash_init(&state, nullptr, 0, sizeof(Hash));
  ::crypto_generichash_update(&state, head.data(), head.size());
  ::crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(values.data()), values.size());
  Hash hash{};
  ::crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

Hash joined(const Hash& left, const Hash& right) {
  std::array<unsigned char, 1 + 2 * sizeof(Hash)> bytes{1};
  std::copy(left.begin(), left.end(), bytes.begin() + 1);
  std::copy(right.begin(), right.end(), bytes.begin() + 1 + sizeof(Hash));
  Hash hash{};
  ::crypto_generichash(hash.data(), hash.size(), bytes.data(), bytes.size(), nullptr, 0);
  return hash;
}

}  // namespace

void MerkleTree::add(std::string_view values) {
  if (levels_.empty()) levels_.emplace_back();
  levels_.front().push_back(leaf_hash(levels_.front().size(), values));
}

Hash MerkleTree::finish() {
  while (levels_.back().size() > 1) {
    std::vector<Hash> above;
    const std::vector<Hash>& below = levels_.back();
    above.reserve((below.size() + 1) / 2);
    for (std::size_t i = 0; i < below.size(); i += 2) {
      above.push_back(i + 1 < below.size() ? joined(below[i], below[i + 1]) : below[i]);
    }
    levels_.push_back(std::move(above));
  }
  return levels_.back().front();
}

std::string MerkleTree::proof(std::uint64_t index) const {
  std::string path;
  for (const std::vector<Hash>& level : levels_) {
    if (const std::uint64_t other = index ^ 1; other < level.size()) {
      path.append(reinterpret_cast<const char*>(level[other].data()), sizeof(Hash));
    }
    index >>= 1;
  }
  return path;
}

bool in_tree(const Hash& root, std::uint64_t count, std::uint64_t index, std::string_view values,
             std::string_view proof) {
  if (index >= count) return false;
  Hash hash = leaf_hash(index, values);
  for (std::uint64_t last = count - 1; last > 0; last >>= 1, index >>= 1) {
    if ((index & 1) == 0 && index == last) continue;
    if (proof.size() < sizeof(Hash)) return false;
    Hash other{};
    std::copy_n(proof.begin(), sizeof(Hash), other.begin());
    proof.remove_prefix(sizeof(Hash));
    hash = (index & 1) != 0 ? joined(other, hash) : joined(hash, other);
  }
  return proof.empty() && hash == root;
}

}  // namespace fq::signature
