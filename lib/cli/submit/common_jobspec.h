// The one jobspec of many jobs that differ only in texts which a jobspec holds as they are: words of the
// command, the job's name, its directory, variables, files for input and output, the number of the copy.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/submit/bulk_rows.h"
#include "cli/submit/surroundings.h"
#include "request/jobspec_template.h"
#include "request/submit.h"

namespace fq::cli {

class CommonJobspec {
 public:
  /// The jobspec of all jobs of `rows`, or null where they differ in something else, too. `surroundings`
  /// outlives it.
  [[nodiscard]] static std::unique_ptr<CommonJobspec> find(const BulkRows& rows,
                                                           const Surroundings& surroundings);

  [[nodiscard]] const request::JobspecTemplate& jobspec() const { return jobspec_; }
  /// What the jobs of a row, whose options these are, have at the places; nothing when these must be built
  /// one by one. `{cc}` in the options stands for the number. Changes nothing of them.
  [[nodiscard]] std::optional<request::JobTexts> texts(BulkOptions& row) const;

 private:
  /// What a text of the options becomes in the jobspec.
  enum class Kind { text, output_file, input_file, directory, variable, command_line, number };
  struct Column {
    Kind kind;
    std::size_t text = 0;           ///< place of the text among all of the options
    std::vector<std::string> path;  ///< where it stands in the jobspec
  };

  explicit CommonJobspec(const Surroundings& surroundings) : surroundings_(surroundings) {}
  bool find_columns(const BulkRows& rows, BulkOptions& pattern);
  bool may_overwrite(const SubmitOptions& options) const;
  bool cut(const nlohmann::json& document);
  bool add(request::JobTexts& texts, Kind kind, const std::string& text) const;

  const Surroundings& surroundings_;
  bool copies_ = false;
  std::vector<Column> columns_;  ///< in the order of the places
  request::JobspecTemplate jobspec_;
};

/// The jobspec text of one job. With --cc the number goes into its environment, too.
[[nodiscard]] std::string single_jobspec(const BulkOptions& job, const Surroundings& surroundings,
                                         std::optional<std::uint32_t> number);

}  // namespace fq::cli
