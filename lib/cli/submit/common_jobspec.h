// The one jobspec of many jobs that differ only in texts which a jobspec holds as they are: words of the
// command, the job's name, files for output, the number of the copy.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/submit/bulk_rows.h"
#include "cli/submit/surroundings.h"
#include "manager/jobs/submit.h"

namespace fq::cli {

class CommonJobspec {
 public:
  /// The jobspec of all jobs of `rows`, or null where they differ in something else, too.
  [[nodiscard]] static std::unique_ptr<CommonJobspec> find(const BulkRows& rows,
                                                           const Surroundings& surroundings);

  [[nodiscard]] const manager::JobspecTemplate& jobspec() const { return jobspec_; }
  /// What a job, whose options these are, has at the places; nothing when it must be built by itself.
  [[nodiscard]] std::optional<manager::JobTexts> texts(const SubmitOptions& job,
                                                       std::optional<std::uint32_t> number) const;

 private:
  enum class Field { command, word, job_name, output, error, number };
  struct Column {
    Field field;
    std::size_t index = 0;  ///< of a word
  };

  bool add_columns(const BulkRows& rows);
  bool build(const BulkRows& rows, const Surroundings& surroundings);

  std::vector<Column> columns_;  ///< in the order of the places
  manager::JobspecTemplate jobspec_;
};

/// The jobspec text of one job. With --cc the number goes into its environment, too.
[[nodiscard]] std::string single_jobspec(const BulkOptions& job, const Surroundings& surroundings,
                                         std::optional<std::uint32_t> number);

}  // namespace fq::cli
