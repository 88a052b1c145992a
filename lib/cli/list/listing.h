// What every listing does with its options before it prints rows.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/format/format.h"
#include "cli/format/user_formats.h"
#include "cli/frame/common_options.h"
#include "cli/frame/terminal.h"

namespace fq::cli {

/// A count as the value of a field.
[[nodiscard]] inline Value integer(std::uint64_t number) {
  return Value{static_cast<std::int64_t>(number)};
}

/// The columns that the lines of a listing may take: those of the terminal where stdout is one and a format
/// was named; a format that was written out stays as it is.
[[nodiscard]] inline std::optional<std::size_t> line_limit(const ListingOptions& options) {
  const auto columns = is_format_text(options.format) ? std::nullopt : terminal_width(STDOUT_FILENO);
  return columns ? std::optional<std::size_t>{*columns} : std::nullopt;
}

/// The keys by which --sort or else the format sorts; none: as listed. Throws Error{usage} for an unknown
/// key.
template <typename Row>
[[nodiscard]] std::vector<SortKey> sort_keys(const ListingOptions& options, const Format<Row>& format,
                                             std::span<const Field<Row>> fields) {
  return options.sort.empty() ? format.sort_keys() : parse_sort_keys(options.sort, field_names(fields));
}

/// Sorts rows by them.
template <typename Row>
void sort_as_asked(std::vector<Row>& rows, const ListingOptions& options, const Format<Row>& format,
                   std::span<const Field<Row>> fields) {
  const std::vector<SortKey> keys = sort_keys(options, format, fields);
  sort_rows(rows, std::span<const SortKey>(keys), fields);
}

/// The format that `options` ask for, with `rows` sorted as --sort or else the format says, fit for the
/// terminal. Throws Error{usage} for an unknown format, field or sort key. `fields` outlives the result.
template <typename Row>
[[nodiscard]] Format<Row> arrange(std::vector<Row>& rows, const ListingOptions& options,
                                  const FormatNames& formats, std::span<const Field<Row>> fields) {
  Format<Row> format = formats.parse(options.format, fields);
  format.set_limit(line_limit(options));
  sort_as_asked(rows, options, format, fields);
  return format;
}

/// The same with the formats that are `built_in` and those of the user's own, in LISTING.toml.
template <typename Row>
[[nodiscard]] Format<Row> arrange(std::vector<Row>& rows, const ListingOptions& options,
                                  std::string_view listing, std::span<const NamedFormat> built_in,
                                  std::span<const Field<Row>> fields) {
  return arrange(rows, options, FormatNames(listing, options.format, built_in), fields);
}

/// Throws what arrange would throw for these options, so that it is told before a store is looked at.
template <typename Row>
void check_arrangement(const ListingOptions& options, const FormatNames& formats,
                       std::span<const Field<Row>> fields) {
  std::vector<Row> none;
  static_cast<void>(arrange(none, options, formats, fields));
}

template <typename Row>
void check_arrangement(const ListingOptions& options, std::string_view listing,
                       std::span<const NamedFormat> built_in, std::span<const Field<Row>> fields) {
  check_arrangement(options, FormatNames(listing, options.format, built_in), fields);
}

/// What -o asks to be told of the formats: FormatNames::told.
template <typename Row>
[[nodiscard]] std::optional<std::string> told_of_formats(const ListingOptions& options,
                                                         std::string_view listing,
                                                         std::span<const NamedFormat> formats,
                                                         std::span<const Field<Row>> fields) {
  return FormatNames(listing, options.format, formats).told(options.format, field_names(fields));
}

}  // namespace fq::cli
