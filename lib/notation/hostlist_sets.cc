// The operations of Hostlist that compare hosts by name: intersect, subtract, erase, sort, uniq.
//
// One host may be held in several ways (`n1[05-07]`, `n[105-107]`, `n105`), so ranges are first cut into
// pieces that depend on the names alone: a stem without digits at its end (but for numbers of more than
// kMaxDigits digits) and numbers that are all written with the same count of digits. Two pieces name a
// common host exactly if stem and digits are equal and their numbers overlap.

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "notation/host_name.h"
#include "notation/hostlist.h"

namespace fq::notation {

/// The pieces of one or two lists, with their stems numbered in the order of the names. The lists must
/// outlive it.
class Hostlist::Pieces {
 public:
  struct Piece {
    std::uint32_t stem;
    int digits;
    std::uint64_t lo;
    std::uint64_t hi;
    const HostRange* range;  ///< where it comes from
    std::uint64_t number;    ///< the number in `range` that belongs to lo

    [[nodiscard]] auto key() const { return std::tie(stem, digits); }
  };

  /// The pieces of `list` in its order.
  [[nodiscard]] std::vector<Piece> cut(const Hostlist& list) {
    std::vector<Piece> out;
    for (const HostRange& range : list.ranges_) {
      if (!range.numbered || !range.name->suffix.empty()) {
        cut_singles(range, out);
      } else {
        cut_by_digits(range, out);
      }
    }
    return out;
  }

  [[nodiscard]] std::string_view stem(std::uint32_t id) const { return stems_[id]; }
  [[nodiscard]] std::uint32_t stem_count() const { return static_cast<std::uint32_t>(stems_.size()); }

 private:
  void cut_singles(const HostRange& range, std::vector<Piece>& out) {
    if (range.numbered) {
      singles_ += range.count();
      text_ += range.text_size();
      if (singles_ > kMaxSingles || text_ > kMaxText) {
        throw error(Kind::refused, "hostlist has more than {} hosts with a suffix after their number",
                    kMaxSingles);
      }
    }
    for (std::uint64_t number = range.lo; number <= range.hi; ++number) {
      std::string_view host = range.name->prefix;
      if (range.numbered) {
        range.append_host(written_.emplace_back(), number);
        host = written_.back();
      }
      const NumberedName parts = split_number(host);
      out.push_back({intern(parts.stem), parts.digits, parts.number, parts.number, &range, number});
    }
  }

  void cut_by_digits(const HostRange& range, std::vector<Piece>& out) {
    for (std::uint64_t from = range.lo; from <= range.hi;) {
      const int written = std::max<int>(range.width, count_digits(from));
      const std::uint64_t power = power_of_10(written);
      const std::uint64_t to = std::min(range.hi, power - 1);
      const NumberedName head = split_number(range.name->prefix, kMaxDigits - written);
      const std::uint64_t base = head.number * power;
      out.push_back({intern(head.stem), head.digits + written, base + from, base + to, &range, from});
      from = to + 1;
    }
  }

  std::uint32_t intern(std::string_view stem) {
    // Neighbours mostly share their text, so that a long stem is hashed once.
    if (stem.data() != last_.data() || stem.size() != last_.size() || stems_.empty()) {
      const auto [at, added] = ids_.try_emplace(stem, stem_count());
      if (added) stems_.push_back(stem);
      last_ = stem;
      last_id_ = at->second;
    }
    return last_id_;
  }

  std::vector<std::string_view> stems_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::string_view last_;
  std::uint32_t last_id_ = 0;
  std::deque<std::string> written_;
  std::uint64_t singles_ = 0;
  std::uint64_t text_ = 0;
};

Hostlist Hostlist::filter(const Hostlist& other, bool keep) const {
  using Piece = Pieces::Piece;
  Pieces pieces;
  std::vector<Piece> theirs = pieces.cut(other);
  std::sort(theirs.begin(), theirs.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.stem, a.digits, a.lo) < std::tie(b.stem, b.digits, b.lo);
  });
  // Overlapping pieces become one, so that ends ascend too.
  std::size_t kept = 0;
  for (const Piece& piece : theirs) {
    if (kept != 0 && theirs[kept - 1].key() == piece.key() && piece.lo <= theirs[kept - 1].hi) {
      theirs[kept - 1].hi = std::max(theirs[kept - 1].hi, piece.hi);
    } else {
      theirs[kept++] = piece;
    }
  }
  theirs.resize(kept);

  Hostlist out;
  for (const Piece& piece : pieces.cut(*this)) {
    const auto take = [&](std::uint64_t lo, std::uint64_t hi) {
      const std::uint64_t number = piece.number + (lo - piece.lo);
      out.push_back(piece.range->part(number, number + (hi - lo)));
    };
    auto cut = std::lower_bound(theirs.begin(), theirs.end(), piece, [](const Piece& a, const Piece& b) {
      return std::tie(a.stem, a.digits, a.hi) < std::tie(b.stem, b.digits, b.lo);
    });
    std::uint64_t from = piece.lo;
    for (; cut != theirs.end() && cut->key() == piece.key() && cut->lo <= piece.hi; ++cut) {
      const std::uint64_t lo = std::max(cut->lo, piece.lo);
      const std::uint64_t hi = std::min(cut->hi, piece.hi);
      if (keep) {
        take(lo, hi);
      } else if (lo > from) {
        take(from, lo - 1);
      }
      from = hi + 1;
    }
    if (!keep && from <= piece.hi) take(from, piece.hi);
  }
  return out;
}

Hostlist Hostlist::intersect(const Hostlist& other) const {
  return filter(other, true);
}

Hostlist Hostlist::subtract(const Hostlist& other) const {
  return filter(other, false);
}

/// How often hosts are named: spans of numbers that do not overlap, each with its count.
class Hostlist::Tally {
 public:
  using Piece = Pieces::Piece;

  /// Counts each host of `piece` once more.
  void add(const Piece& piece) {
    std::uint64_t lo = piece.lo;
    for (auto span = cut_before(piece); cut_behind(span, piece); ++span) {
      const std::uint64_t first = std::get<2>(span->first);
      if (lo < first) spans_.emplace_hint(span, key(piece, lo), Span{first - 1, 1});
      ++span->second.count;
      lo = span->second.hi + 1;
    }
    if (lo <= piece.hi) spans_.emplace(key(piece, lo), Span{piece.hi, 1});
  }

  /// Counts each host of `piece` once less, and calls rest(lo, hi) for those of them that are not counted.
  template <class F>
  void take(const Piece& piece, F rest) {
    std::uint64_t lo = piece.lo;
    for (auto span = cut_before(piece); cut_behind(span, piece);) {
      const std::uint64_t first = std::get<2>(span->first);
      if (lo < first) rest(lo, first - 1);
      lo = span->second.hi + 1;
      span = --span->second.count == 0 ? spans_.erase(span) : std::next(span);
    }
    if (lo <= piece.hi) rest(lo, piece.hi);
  }

 private:
  struct Span {
    std::uint64_t hi;
    std::uint64_t count;
  };
  using Key = std::tuple<std::uint32_t, int, std::uint64_t>;  ///< stem, digits, first number
  using Spans = std::map<Key, Span>;

  static Key key(const Piece& piece, std::uint64_t lo) { return {piece.stem, piece.digits, lo}; }

  /// The first span that `piece` may overlap. One that begins before the piece is cut there.
  Spans::iterator cut_before(const Piece& piece) {
    const auto span = spans_.upper_bound(key(piece, piece.lo));
    if (span == spans_.begin()) return span;
    const auto before = std::prev(span);
    if (before->first < key(piece, 0) || before->second.hi < piece.lo) return span;
    if (before->first == key(piece, piece.lo)) return before;
    const auto cut = spans_.emplace_hint(span, key(piece, piece.lo), before->second);
    before->second.hi = piece.lo - 1;
    return cut;
  }

  /// Whether `span` begins within the piece. One that ends after it is cut there.
  bool cut_behind(Spans::iterator span, const Piece& piece) {
    if (span == spans_.end() || span->first > key(piece, piece.hi)) return false;
    if (span->second.hi > piece.hi) {
      spans_.emplace(key(piece, piece.hi + 1), span->second);
      span->second.hi = piece.hi;
    }
    return true;
  }

  Spans spans_;
};

void Hostlist::erase(const Hostlist& other) {
  Pieces pieces;
  Tally unwanted;
  for (const Pieces::Piece& piece : pieces.cut(other)) unwanted.add(piece);
  Hostlist out;
  for (const Pieces::Piece& piece : pieces.cut(*this)) {
    unwanted.take(piece, [&](std::uint64_t lo, std::uint64_t hi) {
      const std::uint64_t number = piece.number + (lo - piece.lo);
      out.push_back(piece.range->part(number, number + (hi - lo)));
    });
  }
  *this = std::move(out);
}

void Hostlist::order(bool unique) {
  using Piece = Pieces::Piece;
  Pieces pieces;
  std::vector<Piece> parts = pieces.cut(*this);
  // Stems are numbered as they came; rank[] puts them in the order of their names.
  std::vector<std::uint32_t> by_name(pieces.stem_count());
  for (std::uint32_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(),
            [&](std::uint32_t a, std::uint32_t b) { return pieces.stem(a) < pieces.stem(b); });
  std::vector<std::uint32_t> rank(by_name.size());
  for (std::uint32_t i = 0; i < by_name.size(); ++i) rank[by_name[i]] = i;
  std::sort(parts.begin(), parts.end(), [&](const Piece& a, const Piece& b) {
    return std::tie(rank[a.stem], a.digits, a.lo) < std::tie(rank[b.stem], b.digits, b.lo);
  });

  Hostlist out;
  std::uint64_t singles = 0;
  std::shared_ptr<const Name> name;
  for (auto part = parts.begin(); part != parts.end();) {
    auto end = part;
    while (end != parts.end() && end->key() == part->key()) ++end;
    const std::string_view stem = pieces.stem(part->stem);
    if (!name || name->prefix != stem) name = std::make_shared<const Name>(Name{std::string{stem}, {}});
    const auto put = [&](std::uint64_t lo, std::uint64_t hi) {
      HostRange range;
      range.name = name;
      range.numbered = part->digits != 0;
      range.width = static_cast<std::uint8_t>(part->digits > count_digits(lo) ? part->digits : 0);
      range.lo = lo;
      range.hi = hi;
      out.push_back(std::move(range));
    };
    // Sweeps over the numbers; `open` holds the ends of the pieces that cover `at`.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> open;
    std::uint64_t at = 0;
    for (auto next = part; next != end || !open.empty();) {
      if (open.empty()) at = next->lo;
      for (; next != end && next->lo == at; ++next) open.push(next->hi);
      const std::uint64_t to = next == end ? open.top() : std::min(open.top(), next->lo - 1);
      if (unique || open.size() == 1) {
        put(at, to);
      } else {
        singles += (to - at + 1) * open.size();
        if (singles > kMaxSingles) {
          throw error(Kind::refused, "hostlist has more than {} duplicates to sort", kMaxSingles);
        }
        for (std::uint64_t number = at; number <= to; ++number) {
          for (std::size_t i = 0; i < open.size(); ++i) put(number, number);
        }
      }
      at = to + 1;
      while (!open.empty() && open.top() < at) open.pop();
    }
    part = end;
  }
  *this = std::move(out);
}

void Hostlist::sort() {
  order(false);
}

void Hostlist::uniq() {
  order(true);
}

}  // namespace fq::notation
