// What every listing does with its options before it prints rows.

#pragma once

#include <span>
#include <vector>

#include "cli/common_options.h"
#include "cli/format.h"

namespace fq::cli {

/// The format that `options` ask for, with `rows` sorted as --sort or else the format says. Throws
/// Error{usage} for an unknown format, field or sort key. `fields` outlives the result.
template <typename Row>
[[nodiscard]] Format<Row> arrange(std::vector<Row>& rows, const ListingOptions& options,
                                  std::span<const NamedFormat> formats, std::span<const Field<Row>> fields) {
  Format<Row> format(find_format(options.format, formats), fields);
  const std::vector<SortKey> keys =
      options.sort.empty() ? format.sort_keys() : parse_sort_keys(options.sort, field_names(fields));
  sort_rows(rows, std::span<const SortKey>(keys), fields);
  return format;
}

}  // namespace fq::cli
