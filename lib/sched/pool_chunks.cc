#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sched/pool.h"
#include "sched/pool_bits.h"

// Stored form of a chunk: the allocated cores and GPUs of 64 nodes, in inventory order.
//
//   chunk  := ""                       nothing is allocated
//           | taken full bitmap*
//   taken  := u64                      bit j: something of the chunk's node j is allocated; not 0
//   full   := u64                      bit j: everything of node j is; a subset of taken
//   bitmap := byte{(cores + gpus + 7) / 8}   one for each node in taken and not in full, ascending
//
// Numbers are little-endian. Bit k of a bitmap is bit k % 8 of byte k / 8 and stands for the node's k-th core
// by ascending id, bit cores + k for its k-th GPU; bits beyond are 0. How many nodes there are and what each
// has is the inventory's: a changed inventory needs its chunks made anew. Each state has one encoding.

namespace fq::sched {

namespace {

void put_u64(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t get_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

std::size_t Pool::chunk_count() const {
  return (nodes_.size() + kChunkNodes - 1) / kChunkNodes;
}

std::string Pool::encode_chunk(std::size_t chunk) const {
  const std::size_t begin = chunk * kChunkNodes;
  const std::size_t end = std::min(begin + kChunkNodes, nodes_.size());
  std::uint64_t taken = 0, full = 0;
  std::string bitmaps;
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    if (node.idle()) continue;
    const std::uint64_t bit = std::uint64_t{1} << (i - begin);
    taken |= bit;
    if (node.full()) {
      full |= bit;
      continue;
    }
    for (std::uint32_t byte = 0; byte < (node.bits() + 7) / 8; ++byte) {
      bitmaps.push_back(static_cast<char>(taken_bits_[node.first_word + byte / 8] >> (8 * (byte % 8))));
    }
  }
  if (taken == 0) return {};
  std::string out;
  put_u64(out, taken);
  put_u64(out, full);
  return out + bitmaps;
}

void Pool::decode_chunk(std::size_t chunk, std::string_view bytes) {
  const std::size_t begin = chunk * kChunkNodes;
  const std::size_t end = std::min(begin + kChunkNodes, nodes_.size());
  const auto fail = [&](const char* what) {
    return error(Kind::invalid, "resource pool: chunk {}: {}", chunk, what);
  };

  std::uint64_t taken = 0, full = 0;
  if (!bytes.empty()) {
    if (bytes.size() < 16) throw fail("shorter than its two masks");
    taken = get_u64(bytes);
    full = get_u64(bytes.substr(8));
    bytes.remove_prefix(16);
    if (taken == 0) throw fail("an empty state must be an empty text");
    if ((full & ~taken) != 0) throw fail("a node is full but not taken");
  }
  if (end - begin < 64 && (taken >> (end - begin)) != 0) throw fail("more nodes than the inventory has");

  const std::size_t first_word = begin < end ? nodes_[begin].first_word : 0;
  std::vector<std::uint64_t> words;
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    const std::size_t at = words.size();
    words.resize(at + node.words());
    const std::uint64_t bit = std::uint64_t{1} << (i - begin);
    if ((taken & bit) == 0) continue;
    if (node.bits() == 0) throw fail("a node without cores and GPUs is taken");
    if ((full & bit) != 0) {
      set_bits(words.data() + at, 0, node.bits());
      continue;
    }
    const std::size_t length = (node.bits() + 7) / 8;
    if (bytes.size() < length) throw fail("a bitmap is cut off");
    for (std::size_t byte = 0; byte < length; ++byte) {
      words[at + byte / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[byte])} << (8 * (byte % 8));
    }
    bytes.remove_prefix(length);
    if (node.bits() % 64 != 0 && (words.back() >> (node.bits() % 64)) != 0)
      throw fail("bits beyond the last GPU");
    const std::uint32_t set = count_bits(words.data() + at, 0, node.bits());
    if (set == 0 || set == node.bits()) throw fail("a bitmap of a node that is free or full");
  }
  if (!bytes.empty()) throw fail("bytes are left over");

  for (std::size_t i = begin; i < end; ++i) count_out(nodes_[i]);
  std::copy(words.begin(), words.end(), taken_bits_.begin() + static_cast<std::ptrdiff_t>(first_word));
  for (std::size_t i = begin; i < end; ++i) {
    recount(nodes_[i]);
    count_in(nodes_[i]);
  }
  dirty_[chunk] = false;
  ++version_;
}

}  // namespace fq::sched
