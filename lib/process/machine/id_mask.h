// A set of small ids as system calls take it: a bit each, in words.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "notation/idset.h"

namespace fq::process {

/// Of ids below kMost. Makes no allocation: it may be used after fork.
template <std::uint32_t kMost>
class IdMask {
 public:
  IdMask() = default;
  /// Those of `ids` that are below kMost.
  explicit IdMask(const notation::Idset& ids) {
    for (const notation::Idset::Range& range : ids.ranges()) {
      const std::uint64_t end = std::min(std::uint64_t{range.last} + 1, std::uint64_t{kMost});
      for (std::uint64_t id = range.first; id < end; ++id) words_[id / kBits] |= 1UL << (id % kBits);
    }
  }

  [[nodiscard]] bool contains(std::uint32_t id) const {
    return ((words_[id / kBits] >> (id % kBits)) & 1U) != 0;
  }
  [[nodiscard]] unsigned long* words() { return words_.data(); }
  static constexpr std::size_t kBytes = kMost / 8;

 private:
  static constexpr unsigned kBits = 8 * sizeof(unsigned long);
  static_assert(kMost % kBits == 0);
  std::array<unsigned long, kMost / kBits> words_{};
};

}  // namespace fq::process
