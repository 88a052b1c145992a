// The rows of a listing of jobs, however many there are: written as they come, or in order, never all in
// memory.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cli/frame/common_options.h"
#include "cli/frame/spool.h"
#include "cli/list/format.h"
#include "cli/list/job_text.h"

namespace fq::cli {

/// Calls its argument with every row; each time it is called it visits the same ones.
using ForEachRow = std::function<void(const std::function<void(const JobRow&)>&)>;

/// Appends the rows as JSON objects with commas between them, sorted by `keys`; without keys as they come.
/// Returns how many they are. Throws Error{no_space}, {io}.
std::size_t write_json_rows(std::vector<SortKey> keys, const ForEachRow& for_each, Spool& out);

/// Appends a line for each row, in the same order, below a line of headings where `headed`. Returns how many
/// rows there are.
std::size_t write_text_rows(Format<JobRow> format, std::vector<SortKey> keys, bool headed,
                            const ForEachRow& for_each, Spool& out);

/// What a listing prints that shows nothing but rows: `{"jobs":[…]}` and a newline, or the text. Returns how
/// many rows there are.
std::size_t write_rows(const ListingOptions& options, Format<JobRow> format, const ForEachRow& for_each,
                       Spool& out);

}  // namespace fq::cli
