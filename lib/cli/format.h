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
// and field as in cli/format_spec.h. A table of fields, made once for each kind of row, drives parsing,
// headings, values, sorting and help.

#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format_spec.h"
#include "cli/terminal.h"

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
/// The format that the value of -o stands for: a text with a brace or `sort:` is one itself, anything else is
/// a name. Throws Error{usage} `unknown format 'lng'` with a near match.
[[nodiscard]] std::string_view find_format(std::string_view text, std::span<const NamedFormat> named);
/// What `-o help` prints: the named formats, then the fields.
[[nodiscard]] std::string format_help(std::span<const NamedFormat> named, std::span<const FieldName> fields);

/// Applies the prefixes of `column`, given the widest of its values.
void settle_column(Column& column, std::size_t widest, bool with_header);

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

/// Sorts rows by `keys`, equal ones as they were.
template <typename Row>
void sort_rows(std::vector<Row>& rows, std::span<const SortKey> keys, std::span<const Field<Row>> fields) {
  if (keys.empty()) return;
  std::vector<std::vector<SortValue>> values(rows.size());
  std::string scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values[i].reserve(keys.size());
    for (const SortKey& key : keys)
      values[i].emplace_back(fields[key.field].get(rows[i], key.member, scratch));
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const int compared = values[a][k].compare(values[b][k]);
      if (compared != 0) return (compared < 0) != keys[k].descending;
    }
    return false;
  });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
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

  /// Applies the prefixes for these rows: drops columns, widens columns. Once, before anything is appended.
  void fit(std::span<const Row> rows, bool with_header) {
    std::string scratch;
    for (Column& column : parsed_.columns) {
      if (!column.drop_if_empty && !column.widen) continue;
      std::size_t widest = 0;
      for (const Row& row : rows) {
        const Value value = fields_[column.field].get(row, column.member, scratch);
        widest = std::max(widest, unpadded_width(value, column.conversion, column.spec));
        if (widest > 0 && !column.widen) break;
      }
      settle_column(column, widest, with_header);
    }
  }

  /// Appends the line of headings.
  void append_header(std::string& out) const {
    for (const Column& column : parsed_.columns) {
      if (column.dropped) continue;
      out += column.before;
      if (column.field != Column::kNoField) append_heading(out, column.heading, column.spec);
    }
    out += '\n';
  }

  /// Appends the row's line; nothing where the line would be blank.
  void append_row(std::string& out, const Row& row) {
    const std::size_t start = out.size();
    for (const Column& column : parsed_.columns) {
      if (column.dropped) continue;
      out += column.before;
      if (column.field == Column::kNoField) continue;
      const Field<Row>& field = fields_[column.field];
      const std::string_view sgr = color_ && field.style != nullptr ? field.style(row) : std::string_view{};
      out += sgr;
      append_formatted(out, field.get(row, column.member, scratch_), column.conversion, column.spec);
      if (!sgr.empty()) out += style::kReset;
    }
    if (out.find_first_not_of(' ', start) == std::string::npos) {
      out.resize(start);
    } else {
      out += '\n';
    }
  }

  /// The whole listing: fits the format to the rows, then headings (unless `no_header`) and rows.
  [[nodiscard]] std::string list(std::span<const Row> rows, bool no_header) {
    std::string out;
    fit(rows, !no_header);
    if (!no_header) append_header(out);
    for (const Row& row : rows) append_row(out, row);
    return out;
  }

 private:
  std::span<const Field<Row>> fields_;
  ParsedFormat parsed_;
  std::string scratch_;
  bool color_ = false;
};

}  // namespace fq::cli
