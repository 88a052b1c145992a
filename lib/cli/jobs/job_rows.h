// The rows of a listing of jobs, however many there are: written as they come, or in order, never all in
// memory.

#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/format/format.h"
#include "cli/format/ordered_pieces.h"
#include "cli/frame/common_options.h"
#include "cli/frame/spool.h"
#include "cli/jobs/job_text.h"
#include "door/door.h"
#include "request/job_list.h"

namespace fq::cli {

class JobRowsWriter {
 public:
  enum class Form { text, text_with_headings, json };

  /// Appends what it makes to `out`, which outlives it: in `Form::json` objects with commas between them,
  /// else lines; sorted by `keys`, without keys as they come.
  JobRowsWriter(Format<JobRow> format, std::vector<SortKey> keys, Form form, Spool& out);

  /// The next row. Throws Error{no_space}, {io}.
  void add(const JobRow& row);
  /// Call it after the last row. True: they were but measured, and must all be added once more.
  [[nodiscard]] bool again();
  /// Ends it, and returns how many rows there are. Throws as add.
  std::size_t finish();

 private:
  void begin();
  void write(std::string_view text);

  Format<JobRow> format_;
  std::vector<SortKey> keys_;
  Form form_;
  Spool& out_;
  bool measures_;  ///< the rows are looked at for how wide they are, before they are written
  std::optional<OrderedPieces> ordered_;
  std::size_t count_ = 0;
  std::string text_, scratch_;
};

/// The form that the options of a listing ask for.
[[nodiscard]] JobRowsWriter::Form rows_form(const ListingOptions& options);

/// The row of a job that was listed, which outlives it.
[[nodiscard]] JobRow row_of(const request::ListedJob& listed, double now);

/// Whether the store of the instance that a job says it has can be used; none: each is taken to be.
using InstanceCheck = std::function<bool(const job::Job& job, const std::string& store)>;
/// Has an instance that cannot be used left out.
void check_instance(request::ListedJob& listed, const InstanceCheck& is_there);

/// Which jobs are rows.
struct JobChoice {
  request::JobListRequest jobs;
  std::function<bool(const job::Job&)> keep;                   ///< which of them; missing: all
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< the first of those
  InstanceCheck has_instance = {};
};
/// Makes `out` a listing that shows nothing but rows: `{"jobs":[…]}` and a newline, or the text. Returns how
/// many there are.
std::size_t write_rows(const door::Door& door, const JobChoice& choice, const Format<JobRow>& format,
                       const ListingOptions& options, Spool& out);

}  // namespace fq::cli
