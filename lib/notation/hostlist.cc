#include "notation/hostlist.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "notation/cursor.h"
#include "notation/host_name.h"

namespace fq::notation {

namespace {

bool is_name_character(char c) {
  return c > ' ' && c < 0x7F && c != '[' && c != ']' && c != ',';
}

/// True if a number with as many digits as `number` or more is written alike for both widths.
bool same_padding(std::uint64_t number, int width_a, int width_b) {
  return width_a == width_b || count_digits(number) >= std::max(width_a, width_b);
}

/// The width of a range that begins with this number.
std::uint8_t zeros_width(const NumberedName& parts) {
  return static_cast<std::uint8_t>(parts.digits > count_digits(parts.number) ? parts.digits : 0);
}

void append_number(std::string& out, std::uint64_t number, int width) {
  const fmt::format_int digits{number};
  for (int i = static_cast<int>(digits.size()); i < width; ++i) out += '0';
  out.append(digits.data(), digits.size());
}

[[nodiscard]] Error too_long() {
  return error(Kind::refused, "hostlist is too long to be written out: more than {} characters",
               Hostlist::kMaxText);
}

}  // namespace

std::uint64_t Hostlist::HostRange::text_size() const {
  const std::uint64_t names = name->prefix.size() + name->suffix.size();
  if (!numbered) return names;
  // The longest number stands for all.
  return count() * (names + static_cast<std::uint64_t>(std::max<int>(width, count_digits(hi))));
}

void Hostlist::HostRange::append_host(std::string& out, std::uint64_t number) const {
  out += name->prefix;
  if (!numbered) return;
  append_number(out, number, width);
  out += name->suffix;
}

std::optional<std::uint64_t> Hostlist::HostRange::find(std::string_view host) const {
  if (!numbered) return host == name->prefix ? std::optional<std::uint64_t>{0} : std::nullopt;
  const std::size_t names = name->prefix.size() + name->suffix.size();
  if (host.size() <= names || !host.starts_with(name->prefix) || !host.ends_with(name->suffix)) {
    return std::nullopt;
  }
  const std::string_view digits = host.substr(name->prefix.size(), host.size() - names);
  const auto number = parse_u64(digits);
  if (!number || *number < lo || *number > hi) return std::nullopt;
  if (static_cast<int>(digits.size()) != std::max<int>(width, count_digits(*number))) return std::nullopt;
  return *number - lo;
}

Hostlist::HostRange Hostlist::HostRange::part(std::uint64_t first, std::uint64_t last) const {
  HostRange out = *this;
  out.lo = first;
  out.hi = last;
  if (out.width <= count_digits(first)) out.width = 0;
  return out;
}

/// Reads a hostlist expression by expression.
class Hostlist::Decoder {
 public:
  explicit Decoder(std::string_view text) : cursor_("hostlist", text) {}

  Hostlist decode() {
    do {
      expression();
    } while (cursor_.accept(','));
    if (!cursor_.at_end()) throw cursor_.error_here("unexpected character");
    return std::move(list_);
  }

 private:
  struct Number {
    std::uint64_t value;
    int digits;
  };

  void expression() {
    const std::string_view prefix = cursor_.take_while(is_name_character);
    const std::size_t bracket = cursor_.position();
    if (!cursor_.accept('[')) {
      if (!prefix.empty()) host(prefix);
      return;
    }
    std::vector<HostRange> ranges;
    do {
      ranges.push_back(range());
    } while (cursor_.accept(','));
    if (!cursor_.accept(']')) throw cursor_.error_here("expected '-', ',' or ']'");
    const std::string_view suffix = cursor_.take_while(is_name_character);
    if (!cursor_.at_end() && cursor_.accept('[')) {
      throw cursor_.error_at(cursor_.position() - 1, "second pair of brackets");
    }
    const auto name = shared_name(prefix, suffix);
    for (HostRange& range : ranges) {
      range.name = name;
      if (range.count() > kMaxHosts - list_.count_) throw too_many(bracket);
      list_.push_back(std::move(range));
    }
  }

  /// One host without brackets; the digits at its end are its number.
  void host(std::string_view text) {
    const NumberedName parts = split_number(text);
    HostRange range;
    range.name = shared_name(parts.stem, {});
    if (parts.digits != 0) {
      range.numbered = true;
      range.lo = range.hi = parts.number;
      range.width = zeros_width(parts);
    }
    if (list_.count_ == kMaxHosts) throw too_many(cursor_.position() - text.size());
    list_.push_back(std::move(range));
  }

  HostRange range() {
    const std::size_t from = cursor_.position();
    const Number lo = number();
    const Number hi = cursor_.accept('-') ? number() : lo;
    if (hi.value < lo.value) {
      throw cursor_.error_at(from, fmt::format("range '{}-{}' does not ascend", lo.value, hi.value));
    }
    HostRange out;
    out.numbered = true;
    out.lo = lo.value;
    out.hi = hi.value;
    out.width = static_cast<std::uint8_t>(lo.digits > count_digits(lo.value) ? lo.digits : 0);
    return out;
  }

  Number number() {
    const std::size_t from = cursor_.position();
    const std::string_view digits = cursor_.digits();
    if (digits.empty()) throw cursor_.error_here("expected a number");
    if (digits.size() > kMaxDigits) {
      throw cursor_.error_at(from, fmt::format("number of more than {} digits", kMaxDigits));
    }
    return {parse_u64(digits).value(), static_cast<int>(digits.size())};
  }

  /// The last range's name if it is the same one, so that lists of similar hosts hold it once.
  std::shared_ptr<const Name> shared_name(std::string_view prefix, std::string_view suffix) const {
    if (!list_.empty()) {
      const auto& last = list_.ranges_.back().name;
      if (last->prefix == prefix && last->suffix == suffix) return last;
    }
    return std::make_shared<const Name>(Name{std::string{prefix}, std::string{suffix}});
  }

  [[nodiscard]] Error too_many(std::size_t position) const {
    return cursor_.error_at(position, fmt::format("more than {} hosts", kMaxHosts));
  }

  Cursor cursor_;
  Hostlist list_;
};

Hostlist Hostlist::decode(std::string_view text) {
  return Decoder{text}.decode();
}

void Hostlist::push_back(HostRange range) {
  count_ += range.count();
  if (!ranges_.empty() && range.numbered && range.name->suffix.empty()) {
    HostRange& last = ranges_.back();
    if (last.numbered && last.hi + 1 == range.lo && same_padding(range.lo, last.width, range.width) &&
        (last.name == range.name || (last.name->suffix.empty() && last.name->prefix == range.name->prefix))) {
      last.hi = range.hi;
      return;
    }
  }
  ranges_.push_back(std::move(range));
}

std::string Hostlist::encode() const {
  std::uint64_t size = 0;
  for (const HostRange& range : ranges_) {
    if (!range.name->suffix.empty()) size += range.text_size() + range.count();
    if (size > kMaxText) throw too_long();
  }
  std::string out;
  const auto shares_brackets = [](const HostRange& a, const HostRange& b) {
    return a.numbered && b.numbered && a.name->suffix.empty() && b.name->suffix.empty() &&
           (a.name == b.name || a.name->prefix == b.name->prefix);
  };
  for (auto range = ranges_.begin(); range != ranges_.end();) {
    if (!out.empty()) out += ',';
    if (!range->numbered || !range->name->suffix.empty()) {
      for (std::uint64_t number = range->lo; number <= range->hi; ++number) {
        if (number != range->lo) out += ',';
        range->append_host(out, number);
      }
      ++range;
      continue;
    }
    auto end = range + 1;
    while (end != ranges_.end() && shares_brackets(*(end - 1), *end)) ++end;
    const bool brackets = end - range > 1 || range->count() > 1;
    out += range->name->prefix;
    if (brackets) out += '[';
    for (auto each = range; each != end; ++each) {
      if (each != range) out += ',';
      append_number(out, each->lo, each->width);
      if (each->hi == each->lo) continue;
      out += '-';
      append_number(out, each->hi, each->width);
    }
    if (brackets) out += ']';
    range = end;
  }
  return out;
}

std::string Hostlist::nth(std::uint64_t index) const {
  auto range = ranges_.begin();
  for (; index >= range->count(); ++range) index -= range->count();
  std::string out;
  range->append_host(out, range->lo + index);
  return out;
}

std::optional<std::uint64_t> Hostlist::find(std::string_view host) const {
  std::uint64_t before = 0;
  for (const HostRange& range : ranges_) {
    if (const auto offset = range.find(host)) return before + *offset;
    before += range.count();
  }
  return std::nullopt;
}

void Hostlist::append(std::string_view text) {
  // One more of the hosts at the end: only its number is new.
  if (!ranges_.empty() && ranges_.back().numbered && count_ < kMaxHosts) {
    const std::shared_ptr<const Name>& name = ranges_.back().name;
    const NumberedName parts = split_number(text);
    if (parts.digits != 0 && name->suffix.empty() && parts.stem == name->prefix) {
      HostRange range;
      range.name = name;
      range.numbered = true;
      range.lo = range.hi = parts.number;
      range.width = zeros_width(parts);
      return push_back(std::move(range));
    }
  }
  append(decode(text));
}

void Hostlist::append(const Hostlist& other) {
  if (other.count_ > kMaxHosts - count_) {
    throw error(Kind::refused, "hostlist would have more than {} hosts", kMaxHosts);
  }
  const std::vector<HostRange> ranges = other.ranges_;
  for (const HostRange& range : ranges) push_back(range);
}

bool Hostlist::erase(std::string_view host) {
  const auto index = find(host);
  if (index) erase_at(*index);
  return index.has_value();
}

void Hostlist::erase_at(std::uint64_t index) {
  auto range = ranges_.begin();
  for (; index >= range->count(); ++range) index -= range->count();
  // The rest is appended again, as ranges that become neighbours may have to be joined.
  const std::vector<HostRange> rest{std::make_move_iterator(range), std::make_move_iterator(ranges_.end())};
  ranges_.erase(range, ranges_.end());
  for (const HostRange& each : rest) count_ -= each.count();
  const HostRange& cut = rest.front();
  const std::uint64_t number = cut.lo + index;
  if (number > cut.lo) push_back(cut.part(cut.lo, number - 1));
  if (number < cut.hi) push_back(cut.part(number + 1, cut.hi));
  for (auto each = rest.begin() + 1; each != rest.end(); ++each) push_back(*each);
}

Hostlist Hostlist::select(const Idset& indexes) const {
  if (!indexes.empty() && indexes.last() >= count_) {
    throw error(Kind::invalid, "hostlist has no host of index {}: it has {} hosts", indexes.last(), count_);
  }
  Hostlist out;
  auto range = ranges_.begin();
  std::uint64_t before = 0;  // hosts before *range
  for (const Idset::Range& wanted : indexes.ranges()) {
    for (std::uint64_t from = wanted.first; from <= wanted.last;) {
      for (; from - before >= range->count(); ++range) before += range->count();
      const std::uint64_t to = std::min<std::uint64_t>(wanted.last, before + range->count() - 1);
      out.push_back(range->part(range->lo + (from - before), range->lo + (to - before)));
      from = to + 1;
    }
  }
  return out;
}

Hostlist Hostlist::select_from_end(const Idset& indexes) const {
  if (indexes.contains(0)) {
    throw Error{Kind::invalid, "hostlist has no host of index 0 from the end: the last one is 1"};
  }
  if (!indexes.empty() && indexes.last() > count_) {
    throw error(Kind::invalid, "hostlist has no host of index {} from the end: it has {} hosts",
                indexes.last(), count_);
  }
  Idset from_start;
  const auto& ranges = indexes.ranges();
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    from_start.insert(static_cast<std::uint32_t>(count_ - range->last),
                      static_cast<std::uint32_t>(count_ - range->first));
  }
  return select(from_start);
}

std::vector<std::string> Hostlist::hosts() const {
  std::uint64_t size = 0;
  for (const HostRange& range : ranges_) {
    size += range.text_size();
    if (size > kMaxText) throw too_long();
  }
  std::vector<std::string> out;
  out.reserve(count_);
  for (const HostRange& range : ranges_) {
    for (std::uint64_t number = range.lo; number <= range.hi; ++number) {
      range.append_host(out.emplace_back(), number);
    }
  }
  return out;
}

}  // namespace fq::notation
