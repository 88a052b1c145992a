// The jobs that one command line of fq-submit or fq-bulksubmit stands for, and the requests that submit them.
//
// Jobs come input by input, and for each input copy by copy. Those that differ in texts which the jobspec
// holds as they are share one jobspec with places in it: a request is then little more than these texts, once
// for all copies of an input. Others are built one by one.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/submit/bulk_inputs.h"
#include "cli/submit/bulk_options.h"
#include "cli/submit/bulk_rows.h"
#include "cli/submit/common_jobspec.h"
#include "cli/submit/surroundings.h"
#include "request/submit.h"

namespace fq::cli {

class BulkPlan {
 public:
  /// Copies of one job.
  BulkPlan(BulkOptions options, Surroundings surroundings);
  /// Jobs of which each has its inputs; the command is that of `inputs`, without one each input is a command
  /// line. `methods` are those of --define. Throws Error{usage}.
  BulkPlan(BulkOptions options, BulkInputs inputs, const InputMethods& methods, Surroundings surroundings);

  /// Whether the jobs are another machine's.
  [[nodiscard]] bool is_elsewhere() const { return surroundings_.elsewhere; }

  /// Takes the inputs in random order. REQUIRES that nothing was taken from it.
  void shuffle();

  /// How many jobs there are in all.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Jobs to be submitted together.
  struct Portion {
    request::SubmitRequest request;
    std::vector<JobFollow> follow;  ///< for each job, or one for all
    std::size_t jobs = 0;
    std::size_t bytes = 0;  ///< of jobspecs and texts in the request
  };
  /// The next jobs, at most so many, and so few that no store finds their request too large; none when all
  /// were given. Throws Error{usage} for options that make no job, Error{invalid} for a job that is too
  /// large.
  [[nodiscard]] Portion next(std::size_t most);

  /// Builds every job once, so that what is wrong with one is known before the first is stored. Throws as
  /// next. REQUIRES that nothing was taken from it.
  void check();

  [[nodiscard]] const BulkRows& rows() const { return rows_; }

 private:
  void find_common();
  /// Throws Error{combination} where jobs would write to the same file.
  void refuse_shared_files() const;
  void rewind();
  void enter_row();
  void add_jobs(Portion& portion, std::size_t most);
  void add_job(Portion& portion);
  void advance(std::size_t jobs);

  Surroundings surroundings_;
  BulkRows rows_;
  std::size_t size_;
  bool same_follow_ = true;
  std::unique_ptr<CommonJobspec> common_;  ///< of all jobs; null: there is none

  std::optional<Portion> ready_;  ///< built by check
  // The row that comes next, and the copies of it that are still to come.
  std::size_t row_ = 0;
  BulkOptions row_options_;
  std::optional<notation::Idset> numbers_;
};

}  // namespace fq::cli
