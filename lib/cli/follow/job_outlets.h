// Where fq-submit and fq-bulksubmit tell of each job: stdout and stderr, or the files of --log and
// --log-stderr.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/follow/output_reader.h"
#include "cli/frame/progress.h"
#include "cli/submit/bulk_options.h"
#include "notation/fluid.h"

namespace fq::cli {

class JobOutlets {
 public:
  /// `progress`, where there is one, is cleared before the terminal is written to, and outlives this.
  explicit JobOutlets(Progress* progress = nullptr) : progress_(progress) {}

  /// Makes the files of a job that is yet to be submitted, empty, so that one that cannot be written stops
  /// the submission. Files with `{{id}}` in their names come later. Throws Error{usage} for other templates.
  void prepare(const JobFollow& follow);
  /// Writes a text of the job, which goes to the terminal by whole lines. Throws Error.
  void write(const JobFollow& follow, notation::JobId id, OutputTo to, std::string_view text);
  /// Writes what is left of a line.
  void flush();

 private:
  void append(const std::string& path, std::string_view text);
  void to_terminal(notation::JobId id, OutputTo to, std::string_view text);

  Progress* progress_;
  std::set<std::string> files_;  ///< made by this process
  /// Lines that are not yet complete, while there is a bar.
  std::map<std::pair<std::uint64_t, OutputTo>, std::string> held_;
};

/// `path` with `{{id}}`, `{{id.dec}}`, … replaced.
[[nodiscard]] std::string log_path(std::string_view path, notation::JobId id);

}  // namespace fq::cli
