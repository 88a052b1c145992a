// Hostlist: an ordered list of host names and its compressed text form (RFC 29), as in `node[0-15,20]`.
//
//   hostlist   = [expression *("," [expression])]      an empty expression adds nothing
//   expression = name / [name] "[" idlist "]" [name]    name: printable ASCII without [ ] , and space
//   idlist     = range *("," range)
//   range      = number ["-" number]                    the first number's width is the range's padding
//
// RFC 29 pads all numbers of an idlist as its first; like Flux, each is taken as it is written (`n[005,4]` is
// n005,n4), so that every list of hosts can be written. Order and duplicates are kept. The list is held as
// ranges, never expanded unless hosts() is asked for.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notation/idset.h"

namespace fq::notation {

/// Invariant: the list names at most kMaxHosts hosts; neighbouring ranges that can be one are one.
class Hostlist {
 public:
  /// The most hosts that one list may name.
  static constexpr std::uint64_t kMaxHosts = std::uint64_t{1} << 24;
  /// The most characters that writing or expanding a list may take.
  static constexpr std::uint64_t kMaxText = std::uint64_t{1} << 28;
  /// The most hosts that an operation may have to take out of their ranges and keep one by one.
  static constexpr std::uint64_t kMaxSingles = std::uint64_t{1} << 20;

  Hostlist() = default;

  /// The list that `text` (RFC 29) describes; "" is empty. Throws Error{invalid}, also for more than
  /// kMaxHosts hosts.
  [[nodiscard]] static Hostlist decode(std::string_view text);

  /// RFC 29: neighbours with the same name share brackets (`n1,n2,n5` is `n[1-2,5]`), order is kept. Hosts
  /// that have a suffix after their number are written one by one; throws Error{refused} beyond kMaxText.
  [[nodiscard]] std::string encode() const;

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The host at `index`, counted from 0. REQUIRES index < count().
  [[nodiscard]] std::string nth(std::uint64_t index) const;
  /// The index of the first host of that name, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view host) const;
  [[nodiscard]] bool contains(std::string_view host) const { return find(host).has_value(); }

  /// Appends the hosts of an RFC 29 text: a host or a hostlist. Errors as decode; nothing is appended then.
  void append(std::string_view text);
  /// Appends a copy of `other`, which may be this list. Throws Error{refused} beyond kMaxHosts.
  void append(const Hostlist& other);

  /// Removes the first host of that name; false if there is none.
  bool erase(std::string_view host);
  /// Removes the first host of each name in `other`, as many of them as `other` has. Throws as intersect.
  void erase(const Hostlist& other);
  /// Removes the host at `index`. REQUIRES index < count().
  void erase_at(std::uint64_t index);

  /// The hosts whose index is in `indexes`, in list order. Throws Error{invalid} for an index >= count().
  [[nodiscard]] Hostlist select(const Idset& indexes) const;
  /// The same for indexes that are counted from the end: 1 is the last host. Throws Error{invalid} for 0 and
  /// for an index > count().
  [[nodiscard]] Hostlist select_from_end(const Idset& indexes) const;
  /// The hosts that `other` also names; order and duplicates of this list are kept. Throws Error{refused}
  /// when either list has more than kMaxSingles hosts with a suffix after their number.
  [[nodiscard]] Hostlist intersect(const Hostlist& other) const;
  /// The hosts that `other` does not name; order and duplicates of this list are kept. Throws as intersect.
  [[nodiscard]] Hostlist subtract(const Hostlist& other) const;

  /// Orders the hosts by name before the number, count of digits, number. Duplicates stay. Throws
  /// Error{refused} when more than kMaxSingles hosts are duplicates or have a suffix after their number.
  void sort();
  /// Sorts, and keeps one of each host.
  void uniq();

  /// Every host, in order. Throws Error{refused} when the names together exceed kMaxText.
  [[nodiscard]] std::vector<std::string> hosts() const;

 private:
  /// What comes before and after the number. Ranges share it, as it may be long and they many.
  struct Name {
    std::string prefix;
    std::string suffix;
  };
  /// The hosts prefix + number + suffix for lo <= number <= hi; or the one host `prefix`.
  struct HostRange {
    std::shared_ptr<const Name> name;
    bool numbered = false;
    std::uint8_t width = 0;  ///< numbers are filled up with zeros to this width; 0 when lo needs none
    std::uint64_t lo = 0;
    std::uint64_t hi = 0;

    [[nodiscard]] std::uint64_t count() const { return hi - lo + 1; }
    /// The length of all its host names together, without separators.
    [[nodiscard]] std::uint64_t text_size() const;
    void append_host(std::string& out, std::uint64_t number) const;
    /// The offset of the host of that name in the range.
    [[nodiscard]] std::optional<std::uint64_t> find(std::string_view host) const;
    [[nodiscard]] HostRange part(std::uint64_t first, std::uint64_t last) const;
  };
  class Pieces;
  class Tally;
  class Decoder;

  /// Appends a range, joined to the last one if the two can be one.
  void push_back(HostRange range);
  [[nodiscard]] Hostlist filter(const Hostlist& other, bool keep) const;
  void order(bool unique);

  std::vector<HostRange> ranges_;
  std::uint64_t count_ = 0;
};

}  // namespace fq::notation
