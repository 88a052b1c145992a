// Comma-separated values (RFC 4180): fields may be in double quotes, and then have commas, line ends and,
// each twice, double quotes in them.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fq {

struct CsvRow {
  std::size_t line = 0;  ///< at which it begins, 1 the first
  std::vector<std::string> fields;
};

/// The rows of a text; lines that are empty are left out. Throws Error{invalid} `line 3: …` for a quote that
/// does not end, or ends before the field does.
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text);

/// Appends a row and a line feed; fields are quoted where they must be.
void append_csv(std::string& out, const std::vector<std::string>& fields);

}  // namespace fq
