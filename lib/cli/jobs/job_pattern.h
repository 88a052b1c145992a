// The expressions of fq-pgrep and fq-pkill: a pattern for names, a range of ids, or both.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/regex.h"
#include "job/job.h"

namespace fq::cli {

class JobPattern {
 public:
  /// Each of `words` is a regular expression (base/regex.h), looked for in the job's name, or `ID..ID`, a
  /// range of job ids with both ends; `name:` in front makes anything an expression. At most one of each.
  /// Throws Error{usage}.
  explicit JobPattern(const std::vector<std::string>& words);

  /// Whether the job fits everything that was given.
  [[nodiscard]] bool matches(const job::Job& job) const;

 private:
  std::optional<Regex> name_;
  std::optional<std::pair<notation::JobId, notation::JobId>> range_;
};

}  // namespace fq::cli
