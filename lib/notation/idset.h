// Idset: a set of 32-bit ids and its text form (RFC 22), as in `0-3,7` or `[0-3,7]`.
// The set is kept as ranges, so that its cost is the number of ranges, whatever their width.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/inlined_vector.h>

namespace fq::notation {

/// An ordered set of ids 0..4294967295. Invariant: the ranges ascend, are disjoint and never adjacent.
class Idset {
 public:
  /// The ids first..last, both included; first <= last.
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
    friend bool operator==(const Range&, const Range&) = default;
  };

  /// Nearly all sets are a range or two, and need no memory of their own.
  using Ranges = absl::InlinedVector<Range, 2>;

  Idset() = default;
  Idset(std::initializer_list<std::uint32_t> ids);

  /// The set that `text` (RFC 22) describes; "" and "[]" are empty. Throws Error{invalid} when ids are not
  /// plain decimal numbers in strictly ascending order, or a range does not ascend.
  [[nodiscard]] static Idset decode(std::string_view text);
  /// The ids first..last. REQUIRES first <= last.
  [[nodiscard]] static Idset from_range(std::uint32_t first, std::uint32_t last);

  /// RFC 22 without brackets: `0-3,7`, `4,5` as `4-5`; the empty set is "".
  [[nodiscard]] std::string encode() const;
  /// As encode, in brackets when there is more than one id: `[0-3,7]`, `7`, "".
  [[nodiscard]] std::string encode_brackets() const;

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool contains(std::uint32_t id) const;
  /// The smallest id. REQUIRES !empty().
  [[nodiscard]] std::uint32_t first() const { return ranges_.front().first; }
  /// The greatest id. REQUIRES !empty().
  [[nodiscard]] std::uint32_t last() const { return ranges_.back().last; }
  /// The smallest id that is greater than `after`, if there is one.
  [[nodiscard]] std::optional<std::uint32_t> next(std::uint32_t after) const;

  void insert(std::uint32_t id) { insert(id, id); }
  /// Adds first..last. REQUIRES first <= last.
  void insert(std::uint32_t first, std::uint32_t last);
  void erase(std::uint32_t id) { erase(id, id); }
  /// Removes first..last, as far as they are there. REQUIRES first <= last.
  void erase(std::uint32_t first, std::uint32_t last);
  void clear() { ranges_.clear(); }

  /// The ids that are in either set.
  [[nodiscard]] Idset unite(const Idset& other) const;
  /// The ids that are in both sets.
  [[nodiscard]] Idset intersect(const Idset& other) const;
  /// The ids that are in this set and not in `other`.
  [[nodiscard]] Idset subtract(const Idset& other) const;
  [[nodiscard]] bool intersects(const Idset& other) const;
  /// True if every id of `other` is in this set.
  [[nodiscard]] bool includes(const Idset& other) const;
  /// The `n` smallest ids, or all when there are fewer.
  [[nodiscard]] Idset first_n(std::uint64_t n) const;

  [[nodiscard]] const Ranges& ranges() const { return ranges_; }
  /// Calls f(id) for every id, ascending.
  template <class F>
  void for_each(F f) const {
    for (const Range& range : ranges_) {
      for (std::uint64_t id = range.first; id <= range.last; ++id) f(static_cast<std::uint32_t>(id));
    }
  }

  friend bool operator==(const Idset&, const Idset&) = default;

 private:
  /// Adds a range that begins after every id of the set, joining it to the last one where they touch.
  void push_back(Range range);

  Ranges ranges_;
};

/// Whether a text that may be ranks or hosts is meant as ranks: it has digits, commas, dashes and brackets
/// only.
[[nodiscard]] bool is_idset_text(std::string_view text);

}  // namespace fq::notation
