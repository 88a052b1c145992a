#include "sched/pool_bits.h"

namespace fq::sched {

using notation::Idset;

namespace {

bool test_bit(const std::uint64_t* words, std::uint64_t bit) {
  return (words[bit / 64] >> (bit % 64)) & 1;
}

/// Visits the runs of ids in `all` whose bits, numbered from `base`, have the value `value`, in ascending
/// order: visit(first id, last id) returns whether to go on.
template <class Visit>
void visit_runs(const std::uint64_t* words, const Idset& all, std::uint64_t base, bool value, Visit visit) {
  for (const Idset::Range& range : all.ranges()) {
    const std::uint64_t length = std::uint64_t{range.last} - range.first + 1;
    for (std::uint64_t k = 0; k < length; ++k) {
      if (test_bit(words, base + k) != value) continue;
      std::uint64_t end = k + 1;
      while (end < length && test_bit(words, base + end) == value) ++end;
      if (!visit(range.first + static_cast<std::uint32_t>(k),
                 range.first + static_cast<std::uint32_t>(end - 1)))
        return;
      k = end;
    }
    base += length;
  }
}

}  // namespace

bool set_places(std::uint64_t* words, const Idset& ids, const Idset& all, std::uint64_t base) {
  auto within = all.ranges().begin();
  for (const Idset::Range& range : ids.ranges()) {
    while (within != all.ranges().end() && within->last < range.first) {
      base += std::uint64_t{within->last} - within->first + 1;
      ++within;
    }
    if (within == all.ranges().end() || range.first < within->first || range.last > within->last)
      return false;
    set_bits(words, base + (range.first - within->first), std::uint64_t{range.last} - range.first + 1);
  }
  return true;
}

Idset free_ids(const std::uint64_t* words, const Idset& all, std::uint64_t base, std::uint64_t wanted) {
  Idset ids;
  if (wanted == 0) return ids;
  visit_runs(words, all, base, false, [&](std::uint32_t first, std::uint32_t last) {
    const std::uint64_t n = std::min<std::uint64_t>(wanted, std::uint64_t{last} - first + 1);
    ids.insert(first, first + static_cast<std::uint32_t>(n - 1));
    wanted -= n;
    return wanted > 0;
  });
  return ids;
}

Idset taken_ids(const std::uint64_t* words, const Idset& all, std::uint64_t base) {
  Idset ids;
  visit_runs(words, all, base, true, [&](std::uint32_t first, std::uint32_t last) {
    ids.insert(first, last);
    return true;
  });
  return ids;
}

}  // namespace fq::sched
