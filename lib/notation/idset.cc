#include "notation/idset.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "notation/cursor.h"

namespace fq::notation {

namespace {

constexpr std::uint32_t kMaxId = std::numeric_limits<std::uint32_t>::max();

std::uint32_t decode_id(Cursor& cursor) {
  const std::size_t from = cursor.position();
  const std::string_view digits = cursor.digits();
  if (digits.empty()) throw cursor.error_here("expected a number");
  if (digits.size() > 1 && digits[0] == '0') {
    throw cursor.error_at(from, fmt::format("leading zero in {}", quote_cut(digits)));
  }
  const auto value = parse_u64(digits);
  if (!value || *value > kMaxId) {
    throw cursor.error_at(from, fmt::format("{} is greater than {}", quote_cut(digits), kMaxId));
  }
  return static_cast<std::uint32_t>(*value);
}

/// The first range that ends at `id` or later.
Idset::Ranges::const_iterator range_from(const Idset::Ranges& ranges, std::uint32_t id) {
  return std::lower_bound(
      ranges.begin(), ranges.end(), id,
      [](const Idset::Range& range, std::uint32_t wanted) { return range.last < wanted; });
}

}  // namespace

Idset::Idset(std::initializer_list<std::uint32_t> ids) {
  for (const std::uint32_t id : ids) insert(id);
}

Idset Idset::from_range(std::uint32_t first, std::uint32_t last) {
  Idset set;
  set.ranges_.push_back({first, last});
  return set;
}

Idset Idset::decode(std::string_view text) {
  Cursor cursor{"idset", text};
  Idset set;
  const bool brackets = cursor.accept('[');
  if (brackets ? cursor.accept(']') : cursor.at_end()) {
    if (!cursor.at_end()) throw cursor.error_here("expected the end");
    return set;
  }
  do {
    const std::size_t from = cursor.position();
    Range range{};
    range.first = range.last = decode_id(cursor);
    if (cursor.accept('-')) {
      range.last = decode_id(cursor);
      if (range.last <= range.first) {
        throw cursor.error_at(from, fmt::format("range '{}-{}' does not ascend", range.first, range.last));
      }
    }
    if (!set.empty() && range.first <= set.last()) {
      throw cursor.error_at(from, fmt::format("ids must ascend, but {} follows {}", range.first, set.last()));
    }
    set.push_back(range);
  } while (cursor.accept(','));
  if (brackets && !cursor.accept(']')) throw cursor.error_here("expected '-', ',' or ']'");
  if (!cursor.at_end())
    throw cursor.error_here(brackets ? "expected the end" : "expected '-', ',' or the end");
  return set;
}

std::string Idset::encode() const {
  fmt::memory_buffer out;
  for (const Range& range : ranges_) {
    if (out.size() != 0) out.push_back(',');
    const fmt::format_int first{range.first};
    out.append(first.data(), first.data() + first.size());
    if (range.first == range.last) continue;
    out.push_back('-');
    const fmt::format_int last{range.last};
    out.append(last.data(), last.data() + last.size());
  }
  return fmt::to_string(out);
}

std::string Idset::encode_brackets() const {
  return count() > 1 ? fmt::format("[{}]", encode()) : encode();
}

std::uint64_t Idset::count() const {
  std::uint64_t count = 0;
  for (const Range& range : ranges_) count += std::uint64_t{range.last} - range.first + 1;
  return count;
}

bool Idset::contains(std::uint32_t id) const {
  const auto range = range_from(ranges_, id);
  return range != ranges_.end() && range->first <= id;
}

std::optional<std::uint32_t> Idset::next(std::uint32_t after) const {
  if (after == kMaxId) return std::nullopt;
  const auto range = range_from(ranges_, after + 1);
  if (range == ranges_.end()) return std::nullopt;
  return std::max(range->first, after + 1);
}

void Idset::push_back(Range range) {
  if (!ranges_.empty() && std::uint64_t{ranges_.back().last} + 1 == range.first) {
    ranges_.back().last = range.last;
  } else {
    ranges_.push_back(range);
  }
}

void Idset::insert(std::uint32_t first, std::uint32_t last) {
  if (ranges_.empty() || first > ranges_.back().last) return push_back({first, last});
  // All ranges that overlap first..last or touch it become one.
  const auto begin = range_from(ranges_, first == 0 ? 0 : first - 1);
  const auto end = std::upper_bound(begin, ranges_.cend(), last, [](std::uint32_t id, const Range& range) {
    return std::uint64_t{id} + 1 < range.first;
  });
  if (begin == end) {
    ranges_.insert(begin, {first, last});
    return;
  }
  const auto joined = ranges_.begin() + (begin - ranges_.cbegin());
  *joined = {std::min(first, begin->first), std::max(last, (end - 1)->last)};
  ranges_.erase(begin + 1, end);
}

void Idset::erase(std::uint32_t first, std::uint32_t last) {
  const auto begin = range_from(ranges_, first);
  const auto end = std::upper_bound(begin, ranges_.cend(), last,
                                    [](std::uint32_t id, const Range& range) { return id < range.first; });
  if (begin == end) return;
  const Range left = *begin;
  const Range right = *(end - 1);
  auto at = ranges_.erase(begin, end);
  if (right.last > last) at = ranges_.insert(at, {last + 1, right.last});
  if (left.first < first) ranges_.insert(at, {left.first, first - 1});
}

Idset Idset::unite(const Idset& other) const {
  Idset out;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() || b != other.ranges_.end()) {
    const bool from_a = b == other.ranges_.end() || (a != ranges_.end() && a->first <= b->first);
    const Range& range = from_a ? *a++ : *b++;
    if (out.empty() || range.first > out.last()) {
      out.push_back(range);
    } else {
      out.ranges_.back().last = std::max(out.last(), range.last);
    }
  }
  return out;
}

Idset Idset::intersect(const Idset& other) const {
  Idset out;
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const std::uint32_t first = std::max(a->first, b->first);
    const std::uint32_t last = std::min(a->last, b->last);
    if (first <= last) out.ranges_.push_back({first, last});
    if (a->last == last) {
      ++a;
    } else {
      ++b;
    }
  }
  return out;
}

Idset Idset::subtract(const Idset& other) const {
  Idset out;
  auto b = other.ranges_.begin();
  for (const Range& range : ranges_) {
    while (b != other.ranges_.end() && b->last < range.first) ++b;
    std::uint64_t from = range.first;
    for (auto cut = b; cut != other.ranges_.end() && cut->first <= range.last; ++cut) {
      if (cut->first > from) out.ranges_.push_back({static_cast<std::uint32_t>(from), cut->first - 1});
      from = std::uint64_t{cut->last} + 1;
      b = cut;
    }
    if (from <= range.last) out.ranges_.push_back({static_cast<std::uint32_t>(from), range.last});
  }
  return out;
}

bool Idset::intersects(const Idset& other) const {
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->last < b->first) {
      ++a;
    } else if (b->last < a->first) {
      ++b;
    } else {
      return true;
    }
  }
  return false;
}

bool Idset::includes(const Idset& other) const {
  auto a = ranges_.begin();
  for (const Range& range : other.ranges_) {
    while (a != ranges_.end() && a->last < range.first) ++a;
    if (a == ranges_.end() || a->first > range.first || a->last < range.last) return false;
  }
  return true;
}

Idset Idset::first_n(std::uint64_t n) const {
  Idset out;
  for (const Range& range : ranges_) {
    if (n == 0) break;
    const std::uint64_t size = std::uint64_t{range.last} - range.first + 1;
    const std::uint64_t taken = std::min(n, size);
    out.ranges_.push_back({range.first, static_cast<std::uint32_t>(range.first + taken - 1)});
    n -= taken;
  }
  return out;
}

bool is_idset_text(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789,-[]") == std::string_view::npos;
}

}  // namespace fq::notation
