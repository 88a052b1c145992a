#include "cli/format/format.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/text_width.h"

namespace fq::cli {
namespace {

struct FoundField {
  std::size_t index;
  std::string_view member;
};

/// The entry for `name`: the field itself, else the longest family that it is a member of.
std::optional<FoundField> find_field(std::string_view name, std::span<const FieldName> fields) {
  std::optional<FoundField> family;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view known = fields[i].name;
    const bool is_family = known.ends_with('.');
    if (known == name && !is_family) return FoundField{i, {}};
    if (is_family && name.size() > known.size() && name.starts_with(known) && known.size() > longest) {
      family = FoundField{i, name.substr(known.size())};
      longest = known.size();
    }
  }
  return family;
}

std::string field_hint(std::string_view name, std::span<const FieldName> fields) {
  std::vector<std::string> names;
  for (const FieldName& field : fields) {
    if (!field.name.ends_with('.')) names.emplace_back(field.name);
  }
  return did_you_mean(name, names);
}

std::string capitals(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string heading_of(const FieldName& field, std::string_view name, std::string_view member) {
  if (member.empty()) return std::string{field.heading};
  return capitals(field.heading == "*" ? member : name);
}

/// Reads a format from left to right.
class FormatReader {
 public:
  FormatReader(std::string_view text, std::span<const FieldName> fields) : text_(text), fields_(fields) {}

  ParsedFormat read() {
    if (!is_valid_utf8(text_)) throw Error{Kind::usage, "format: not valid UTF-8"};
    read_sort_keys();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool doubled = at_ + 1 < text_.size() && text_[at_ + 1] == c;
      if ((c == '{' || c == '}') && doubled) {
        literal_ += c;
        at_ += 2;
      } else if (c == '}') {
        throw fail(at_, "single '}', which '}}' stands for", {});
      } else if (c == '{') {
        read_field();
      } else {
        literal_ += c;
        ++at_;
      }
    }
    if (!literal_.empty()) {
      Column tail;
      tail.before = shown_literal();
      result_.columns.push_back(std::move(tail));
    }
    return std::move(result_);
  }

 private:
  /// An error at the byte `at`, which messages count in characters from 1.
  [[nodiscard]] Error fail(std::size_t at, std::string_view message, std::string hint) const {
    std::size_t character = 1;
    for (const char c : text_.substr(0, at)) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++character;
    }
    return Error{Kind::usage, fmt::format("format: character {}: {}", character, message), std::move(hint)};
  }

  /// The text gathered so far, fit for a line.
  [[nodiscard]] std::string shown_literal() const {
    std::string scratch;
    std::string shown;
    // A tab between columns is meant, other control characters are not.
    for (const std::string_view part : split(literal_, '\t')) {
      shown.append(masked(part, scratch)).push_back('\t');
    }
    shown.pop_back();
    return shown;
  }

  void read_sort_keys() {
    constexpr std::string_view kPrefix = "sort:";
    if (!text_.starts_with(kPrefix)) return;
    const std::size_t end = std::min(text_.find_first_of(" \t{", kPrefix.size()), text_.size());
    result_.sort_keys = parse_sort_keys(text_.substr(kPrefix.size(), end - kPrefix.size()), fields_);
    at_ = end;
    if (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void take_prefix(Column& column) {
    const auto take = [this](std::string_view prefix) {
      if (!literal_.ends_with(prefix)) return false;
      literal_.resize(literal_.size() - prefix.size());
      return true;
    };
    if (take("?+:")) {
      column.drop_if_empty = column.widen = true;
    } else if (take("?:")) {
      column.drop_if_empty = true;
    } else if (take("+:")) {
      column.widen = true;
    }
  }

  void read_field() {
    const std::size_t open = at_;
    const std::size_t close = text_.find('}', open);
    if (close == std::string_view::npos) throw fail(open, "'{' is not closed by '}'", {});
    const std::string_view inside = text_.substr(open + 1, close - open - 1);
    if (const std::size_t nested = inside.find('{'); nested != std::string_view::npos) {
      throw fail(open + 1 + nested, "'{' inside of a field", {});
    }
    const std::string_view name = inside.substr(0, inside.find_first_of("!:"));
    if (name.empty()) throw fail(open + 1, "a field name is missing", {});
    const auto found = find_field(name, fields_);
    if (!found) throw fail(open + 1, fmt::format("unknown field {}", quote(name)), field_hint(name, fields_));

    Column column;
    take_prefix(column);
    column.before = shown_literal();
    literal_.clear();
    column.field = found->index;
    column.member = found->member;
    column.heading = heading_of(fields_[found->index], name, found->member);
    read_layout(column, inside.substr(name.size()), open + 1 + name.size(), name);
    result_.columns.push_back(std::move(column));
    at_ = close + 1;
  }

  /// Reads `!C:SPEC`, either part optional; `at` is where it begins.
  void read_layout(Column& column, std::string_view layout, std::size_t at, std::string_view name) {
    if (layout.starts_with('!')) {
      const std::string_view conversion = layout.substr(1, layout.find(':') - 1);
      if (conversion.size() != 1 || !is_conversion(conversion[0])) {
        throw fail(at, fmt::format("field {}: unknown conversion {}", quote(name), quote(conversion)),
                   "!d !D !F !H !P or !s");
      }
      column.conversion = conversion[0];
      layout.remove_prefix(2);
      at += 2;
    }
    if (layout.empty()) return;
    try {
      column.spec = parse_format_spec(layout.substr(1), column.conversion);
    } catch (const Error& failure) {
      throw fail(at + 1, fmt::format("field {}: {}", quote(name), failure.what()), failure.hint());
    }
  }

  std::string_view text_;
  std::span<const FieldName> fields_;
  std::size_t at_ = 0;
  std::string literal_;  ///< text since the last field
  ParsedFormat result_;
};

}  // namespace

ParsedFormat parse_format(std::string_view text, std::span<const FieldName> fields) {
  return FormatReader{text, fields}.read();
}

std::vector<SortKey> parse_sort_keys(std::string_view text, std::span<const FieldName> fields) {
  std::vector<SortKey> keys;
  for (std::string_view name : split(text, ',')) {
    name = trim(name);
    if (name.empty()) continue;
    const bool descending = name.starts_with('-');
    if (descending) name.remove_prefix(1);
    auto found = find_field(name, fields);
    if (!found) {
      throw Error{Kind::usage, fmt::format("sort key {}: no such field", quote(name)),
                  field_hint(name, fields)};
    }
    if (const std::string_view other = fields[found->index].sort_by; !other.empty()) {
      found = find_field(other, fields);
    }
    keys.push_back({found->index, std::string{found->member}, descending});
  }
  return keys;
}

bool is_format_text(std::string_view text) {
  return text.find('{') != std::string_view::npos || text.starts_with("sort:");
}

std::string_view find_format(std::string_view text, std::span<const NamedFormat> named) {
  if (is_format_text(text)) return text;
  std::vector<std::string> names;
  for (const NamedFormat& format : named) {
    if (format.name == text) return format.format;
    names.emplace_back(format.name);
  }
  std::string hint = did_you_mean(text, names);
  if (hint.empty()) hint = "-o help lists formats and fields";
  throw Error{Kind::usage, fmt::format("unknown format {}", quote(text)), std::move(hint)};
}

std::string format_help(std::span<const NamedFormat> named, std::span<const FieldName> fields) {
  std::size_t width = 0;
  for (const NamedFormat& format : named) width = std::max(width, format.name.size());
  std::string out = "Named formats:\n";
  for (const NamedFormat& format : named) {
    out += fmt::format("  {:<{}}  {}\n  {:<{}}  {}\n", format.name, width, format.description, "", width,
                       format.format);
  }
  width = 0;
  for (const FieldName& field : fields) width = std::max(width, field.name.size() + 3);
  out += "\nFields:\n";
  for (const FieldName& field : fields) {
    const bool family = field.name.ends_with('.');
    out += fmt::format("  {:<{}}  {}\n", family ? fmt::format("{}KEY", field.name) : std::string{field.name},
                       width, field.help);
  }
  return out;
}

void settle_column(Column& column, std::size_t widest, bool with_header) {
  column.dropped = column.drop_if_empty && widest == 0;
  if (!column.widen) return;
  FormatSpec& spec = column.spec;
  if (with_header) widest = std::max(widest, display_width(column.heading));
  spec.width = std::max(spec.width, widest);
  if (spec.precision) spec.precision = std::max(*spec.precision, spec.width);
}

namespace {

/// Columns that the column's cell takes, `widest` being the widest of its values uncut.
std::size_t cell_width(const Column& column, std::size_t widest, bool with_header) {
  if (column.spec.precision) widest = std::min(widest, *column.spec.precision);
  if (with_header) widest = std::max(widest, display_width(column.heading));
  return std::max(column.spec.width, widest);
}

/// The last column says most: others give way so that it has so much.
constexpr std::size_t kLastKept = 20;
/// As far as that: headings above narrow values, and values that are marked where they are cut.
constexpr std::size_t kLeastHeading = 3, kLeastValue = 6;

bool is_shown_column(const Column& column) {
  return !column.dropped && column.field != Column::kNoField;
}

/// Takes `over` columns from those given, as far as they have them.
void make_room(std::span<Column> columns, std::span<const std::size_t> widest, bool with_header,
               std::size_t over) {
  const auto narrow = [&](std::size_t i, std::size_t least) {
    Column& column = columns[i];
    const std::size_t cell = cell_width(column, widest[i], with_header);
    const std::size_t width = std::max(least, cell - std::min(cell, over));
    if (width >= cell) return cell;
    over -= cell - width;
    column.spec.width = std::min(column.spec.width, width);
    if (display_width(column.heading) > width) {
      column.heading = fmt::format("{}+", cut_to_width(column.heading, width - 1));
    }
    return width;
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t value = std::min(widest[i], columns[i].spec.precision.value_or(widest[i]));
    if (is_shown_column(columns[i])) narrow(i, std::max(value, kLeastHeading));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::optional<std::size_t>& precision = columns[i].spec.precision;
    if (!is_shown_column(columns[i]) || !columns[i].spec.mark_cut || !precision) continue;
    *precision = std::min(*precision, narrow(i, kLeastValue));
  }
}

}  // namespace

void settle_widths(std::span<Column> columns, std::span<const std::size_t> widest, bool with_header,
                   std::size_t limit) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].dropped) continue;
    taken += display_width(columns[i].before);
    if (columns[i].field != Column::kNoField) taken += cell_width(columns[i], widest[i], with_header);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    if (column.dropped || column.field == Column::kNoField) continue;
    FormatSpec& spec = column.spec;
    const std::size_t before = cell_width(column, widest[i], with_header);
    if (taken > limit) {
      const std::size_t width = spec.width;
      spec.width = 0;
      const std::size_t least = cell_width(column, widest[i], with_header);
      spec.width = std::min(width, std::max(least, before - std::min(before, taken - limit)));
    } else if (spec.mark_cut && spec.precision && widest[i] > *spec.precision) {
      spec.precision = std::min(widest[i], *spec.precision + (limit - taken));
      spec.width = std::max(spec.width, *spec.precision);
    }
    taken = taken - before + cell_width(column, widest[i], with_header);
  }
  const auto last = std::find_if(columns.rbegin(), columns.rend(), is_shown_column);
  if (last == columns.rend()) return;
  const std::size_t wanted =
      cell_width(*last, widest[static_cast<std::size_t>(columns.rend() - last) - 1], with_header);
  const std::size_t least = taken - wanted + std::min(wanted, kLastKept);
  if (least > limit)
    make_room(columns.first(static_cast<std::size_t>(columns.rend() - last) - 1), widest, with_header,
              least - limit);
}

void append_styled(std::string& out, std::string_view line, std::span<const StyledSpan> spans,
                   std::optional<std::size_t> limit) {
  std::string_view shown = line;
  if (limit) shown = shown.substr(0, shown.find_last_not_of(' ') + 1);
  const bool cut = limit && display_width(shown) > *limit;
  if (cut) shown = cut_to_width(shown, std::max<std::size_t>(*limit, 1) - 1);
  std::size_t at = 0;
  for (const StyledSpan& span : spans) {
    if (span.sgr.empty() || span.begin >= shown.size()) continue;
    const std::size_t end = std::min(span.end, shown.size());
    out.append(shown.substr(at, span.begin - at)).append(span.sgr);
    out.append(shown.substr(span.begin, end - span.begin)).append(style::kReset);
    at = end;
  }
  out += shown.substr(at);
  if (cut) out += '+';
}

SortValue::SortValue(const Value& value) {
  constexpr int kNothing = 0;
  constexpr int kNumber = 1;
  constexpr int kText = 2;
  if (std::holds_alternative<std::monostate>(value)) {
    rank = kNothing;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    rank = kNumber;
    number = static_cast<double>(*integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    rank = std::isnan(*real) ? kNothing : kNumber;
    number = std::isnan(*real) ? 0 : *real;
  } else {
    const auto words = std::get<std::string_view>(value);
    if (words.empty() || words == "-") {
      rank = kNothing;
    } else if (words.find_first_not_of("0123456789") == std::string_view::npos) {
      // Kept as text too: a double does not tell large ids apart.
      rank = kNumber;
      const std::size_t zeros = std::min(words.find_first_not_of('0'), words.size());
      number = parse_u64(words) ? static_cast<double>(*parse_u64(words)) : HUGE_VAL;
      text = fmt::format("{:>20}", words.substr(zeros));
    } else {
      rank = kText;
      text = words;
    }
  }
}

int SortValue::compare(const SortValue& other) const {
  if (rank != other.rank) return rank - other.rank;
  if (number != other.number) return number < other.number ? -1 : 1;
  return text.compare(other.text);
}

}  // namespace fq::cli
