// The field format language of listings, as in `flux jobs -o`:
//
//   {id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} {t_remaining!F:>8h}
//
//   format   ["sort:" KEY{,KEY} " "] {text | [PREFIX] "{" field "}"}    `{{` and `}}` stand for braces
//   PREFIX   "?:"   the column is left out where all rows have nothing in it
//            "+:"   the column becomes as wide as its widest value
//            "?+:"  both
//   KEY      ["-"] NAME                                                   `-` sorts downwards
//
// and field as in cli/format/format_spec.h. A table of fields, made once for each kind of row, drives
// parsing, headings, values, sorting and help.

#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format/format_spec.h"
#include "cli/frame/terminal.h"

namespace fq::cli {

/// A field that rows of type Row have.
template <typename Row>
struct Field {
  /// As users write it. A name that ends with a dot is a family: what follows the dot is the member.
  std::string_view name;
  /// The column's heading. A family's is made of the field: `*` stands for the member in capitals, an empty
  /// heading for the whole name in capitals.
  std::string_view heading;
  std::string_view help;
  /// The value for a row; `member` is the member of a family. Text points into the row or into `scratch`.
  Value (*get)(const Row& row, std::string_view member, std::string& scratch);
  /// The SGR sequence for the cell, empty for none. Null: never any.
  std::string_view (*style)(const Row& row) = nullptr;
  /// The field whose value sorts this one; empty: its own.
  std::string_view sort_by = {};
};

/// A format with a name, as -o takes it.
struct NamedFormat {
  std::string_view name;
  std::string_view description;
  std::string_view format;
};

/// The part of a field that does not depend on the type of rows.
struct FieldName {
  std::string_view name, heading, help, sort_by;
};

/// One column of a parsed format, or the text behind the last one.
struct Column {
  static constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

  std::string before;            ///< text in front of the cell, prefix taken off
  std::size_t field = kNoField;  ///< index into the table
  std::string member;            ///< of a family
  std::string heading;
  char conversion = 0;
  FormatSpec spec;
  bool drop_if_empty = false;  ///< `?`
  bool widen = false;          ///< `+`
  bool dropped = false;        ///< found empty by fit
};

struct SortKey {
  std::size_t field;
  std::string member;
  bool descending = false;
};

struct ParsedFormat {
  std::vector<Column> columns;
  std::vector<SortKey> sort_keys;
};

/// Parses a format. Throws Error{usage} `format: character 7: unknown field 'idd'` with a near match as hint.
[[nodiscard]] ParsedFormat parse_format(std::string_view text, std::span<const FieldName> fields);
/// Parses `KEY,KEY…`. Throws Error{usage} `sort key 'nam': …`.
[[nodiscard]] std::vector<SortKey> parse_sort_keys(std::string_view text, std::span<const FieldName> fields);
/// Whether the value of -o is a format itself, for it has a brace or begins with `sort:`, and not the name of
/// one.
[[nodiscard]] bool is_format_text(std::string_view text);
/// The format that the value of -o stands for. Throws Error{usage} `unknown format 'lng'` with a near match.
[[nodiscard]] std::string_view find_format(std::string_view text, std::span<const NamedFormat> named);
/// What `-o help` prints: the named formats, then the fields.
[[nodiscard]] std::string format_help(std::span<const NamedFormat> named, std::span<const FieldName> fields);

/// Applies the prefixes of `column`, given the widest of its values.
void settle_column(Column& column, std::size_t widest, bool with_header);
/// Makes lines fit `limit` columns, given the widest value of each column: where they are too wide, columns
/// that are wider than their values give room up, from the left; where there is room left, columns that mark
/// what they cut (`.10+`) grow to show more.
void settle_widths(std::span<Column> columns, std::span<const std::size_t> widest, bool with_header,
                   std::size_t limit);

/// A line as it is put together, before it is cut: the bytes between `begin` and `end` are styled.
struct StyledSpan {
  std::size_t begin, end;
  std::string_view sgr;
};
/// Appends `line`. With a limit, blanks at its end are left out, and where it is wider a `+` stands for what
/// is cut off.
void append_styled(std::string& out, std::string_view line, std::span<const StyledSpan> spans,
                   std::optional<std::size_t> limit);

/// A value kept for sorting. Nothing sorts first, then numbers, then text; digits are numbers.
struct SortValue {
  int rank = 0;
  double number = 0;
  std::string text;

  explicit SortValue(const Value& value);
  /// Less than, equal to or greater than 0, as this sorts before, with or after `other`.
  [[nodiscard]] int compare(const SortValue& other) const;
};

template <typename Row>
[[nodiscard]] std::vector<FieldName> field_names(std::span<const Field<Row>> fields) {
  std::vector<FieldName> names;
  names.reserve(fields.size());
  for (const Field<Row>& field : fields)
    names.push_back({field.name, field.heading, field.help, field.sort_by});
  return names;
}

/// What a row has for each of `keys`.
template <typename Row>
[[nodiscard]] std::vector<SortValue> sort_values(const Row& row, std::span<const SortKey> keys,
                                                 std::span<const Field<Row>> fields, std::string& scratch) {
  std::vector<SortValue> values;
  values.reserve(keys.size());
  for (const SortKey& key : keys) values.emplace_back(fields[key.field].get(row, key.member, scratch));
  return values;
}

/// The indexes of rows in the order of `keys`, equal ones as they were.
template <typename Row>
[[nodiscard]] std::vector<std::size_t> sorted_order(std::span<const Row> rows, std::span<const SortKey> keys,
                                                    std::span<const Field<Row>> fields) {
  std::vector<std::vector<SortValue>> values(rows.size());
  std::string scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = sort_values(rows[i], keys, fields, scratch);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const int compared = values[a][k].compare(values[b][k]);
      if (compared != 0) return (compared < 0) != keys[k].descending;
    }
    return false;
  });
  return order;
}

/// Sorts rows by `keys`, equal ones as they were.
template <typename Row>
void sort_rows(std::vector<Row>& rows, std::span<const SortKey> keys, std::span<const Field<Row>> fields) {
  if (keys.empty()) return;
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t i : sorted_order(std::span<const Row>(rows), keys, fields)) {
    sorted.push_back(std::move(rows[i]));
  }
  rows = std::move(sorted);
}

/// A parsed format for rows of one type. `fields` must outlive it.
template <typename Row>
class Format {
 public:
  /// Throws Error{usage}, as parse_format does.
  Format(std::string_view text, std::span<const Field<Row>> fields)
      : fields_(fields), parsed_(parse_format(text, field_names(fields))) {}

  /// The sort keys that the format begins with.
  [[nodiscard]] const std::vector<SortKey>& sort_keys() const { return parsed_.sort_keys; }
  /// True if a column shows the field of that name (a family: one of its members), so that the caller gets
  /// ready only what is shown.
  [[nodiscard]] bool shows(std::string_view name) const {
    return std::any_of(parsed_.columns.begin(), parsed_.columns.end(), [&](const Column& column) {
      return column.field != Column::kNoField && fields_[column.field].name == name;
    });
  }
  /// Turns the styles of fields on.
  void set_color(bool color) { color_ = color; }

  /// Lines take at most so many columns: columns are narrowed or widened for that, and what still goes beyond
  /// is cut.
  void set_limit(std::optional<std::size_t> columns) { limit_ = columns; }

  /// Whether the prefixes and the limit depend on the rows: each is to be measured before settle.
  [[nodiscard]] bool depends_on_rows() const {
    return std::any_of(parsed_.columns.begin(), parsed_.columns.end(),
                       [&](const Column& column) { return is_measured(column); });
  }
  /// Takes note of how wide a row's values are.
  void measure(const Row& row) {
    widest_.resize(parsed_.columns.size());
    for (std::size_t i = 0; i < widest_.size(); ++i) {
      const Column& column = parsed_.columns[i];
      if (!is_measured(column) || (widest_[i] > 0 && !column.widen && !limit_)) continue;
      const Value value = fields_[column.field].get(row, column.member, scratch_);
      widest_[i] = std::max(widest_[i], unpadded_width(value, column.conversion, column.spec));
    }
  }
  /// Applies the prefixes and the limit for the rows measured. Once, before anything is appended.
  void settle(bool with_header) {
    widest_.resize(parsed_.columns.size());
    for (std::size_t i = 0; i < widest_.size(); ++i) {
      if (is_measured(parsed_.columns[i])) settle_column(parsed_.columns[i], widest_[i], with_header);
    }
    if (limit_) settle_widths(parsed_.columns, widest_, with_header, *limit_);
  }

  /// Appends the line of headings.
  void append_header(std::string& out) const {
    std::string line;
    for (const Column& column : parsed_.columns) {
      if (column.dropped) continue;
      line += column.before;
      if (column.field != Column::kNoField) append_heading(line, column.heading, column.spec);
    }
    if (limit_) {
      append_styled(out, line, {}, limit_);
    } else {
      out += line;
    }
    out += '\n';
  }

  /// Appends the row's line; nothing where the line would be blank.
  void append_row(std::string& out, const Row& row) {
    const std::size_t start = out.size();
    line_.clear();
    spans_.clear();
    // Straight into `out`, unless the line must be looked at again.
    std::string& line = limit_ || color_ ? line_ : out;
    for (const Column& column : parsed_.columns) {
      if (column.dropped) continue;
      line += column.before;
      if (column.field == Column::kNoField) continue;
      const Field<Row>& field = fields_[column.field];
      const std::size_t begin = line.size();
      append_formatted(line, field.get(row, column.member, scratch_), column.conversion, column.spec);
      if (color_ && field.style != nullptr) spans_.push_back({begin, line.size(), field.style(row)});
    }
    if (limit_ || color_) append_styled(out, line_, spans_, limit_);
    if (out.find_first_not_of(' ', start) == std::string::npos) {
      out.resize(start);
    } else {
      out += '\n';
    }
  }

  /// The whole listing: fits the format to the rows, then headings (unless `no_header`) and rows.
  [[nodiscard]] std::string list(std::span<const Row> rows, bool no_header) {
    std::string out;
    if (depends_on_rows()) {
      for (const Row& row : rows) measure(row);
    }
    settle(!no_header);
    if (!no_header) append_header(out);
    for (const Row& row : rows) append_row(out, row);
    return out;
  }

 private:
  [[nodiscard]] bool is_measured(const Column& column) const {
    return column.field != Column::kNoField && (column.drop_if_empty || column.widen || limit_);
  }

  std::span<const Field<Row>> fields_;
  ParsedFormat parsed_;
  std::vector<std::size_t> widest_;  ///< value of each column
  std::string scratch_, line_;
  std::vector<StyledSpan> spans_;
  bool color_ = false;
  std::optional<std::size_t> limit_;
};

}  // namespace fq::cli
