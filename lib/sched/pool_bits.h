// Runs of bits in words of 64, as a pool keeps them: a bit is set where a core or a GPU is taken.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "notation/idset.h"

namespace fq::sched {

/// Sets `length` bits from `first` on.
inline void set_bits(std::uint64_t* words, std::uint64_t first, std::uint64_t length) {
  while (length > 0) {
    const std::uint64_t offset = first % 64;
    const std::uint64_t n = std::min<std::uint64_t>(length, 64 - offset);
    const std::uint64_t ones = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    words[first / 64] |= ones << offset;
    first += n;
    length -= n;
  }
}

/// How many of the `length` bits from `first` on are set.
inline std::uint32_t count_bits(const std::uint64_t* words, std::uint64_t first, std::uint64_t length) {
  std::uint32_t total = 0;
  while (length > 0) {
    const std::uint64_t offset = first % 64;
    const std::uint64_t n = std::min<std::uint64_t>(length, 64 - offset);
    const std::uint64_t ones = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    total += static_cast<std::uint32_t>(std::popcount(words[first / 64] & (ones << offset)));
    first += n;
    length -= n;
  }
  return total;
}

/// Sets the bits of `ids`, numbered from `base` by their place in `all`. False when an id is not in `all`.
bool set_places(std::uint64_t* words, const notation::Idset& ids, const notation::Idset& all,
                std::uint64_t base);

/// The lowest `wanted` ids in `all` whose bits, numbered from `base`, are not set, or as many as there are.
[[nodiscard]] notation::Idset free_ids(const std::uint64_t* words, const notation::Idset& all,
                                       std::uint64_t base, std::uint64_t wanted);
/// Those whose bits are set.
[[nodiscard]] notation::Idset taken_ids(const std::uint64_t* words, const notation::Idset& all,
                                        std::uint64_t base);

}  // namespace fq::sched
