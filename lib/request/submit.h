// Submission: one jobspec, or many that differ in some texts, becomes jobs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "notation/idset.h"
#include "request/find_job.h"
#include "request/jobspec_template.h"

namespace fq::request {

/// A job for each row or, where there are copies, for each copy of each row: row by row.
struct JobGroup {
  JobspecTemplate jobspec;
  std::vector<JobTexts> rows;  ///< none: one row, and the jobspec has no places
  notation::Idset copies;      ///< the numbers of each row's copies; empty: one, without a number
  std::uint8_t urgency = job::kUrgencyDefault;
  std::uint32_t flags = 0;
  std::string J;  ///< what the user signed of it (signed_form.h), where jobs run as their users

  /// Throws Error{invalid} unless there are strings for each place of the jobspec in each row. The others
  /// REQUIRE that.
  void require_form() const;
  /// How many jobs it asks for.
  [[nodiscard]] std::size_t size() const;
  /// The jobspec of a row's copy. `number` is of no account where there are no copies.
  [[nodiscard]] std::string jobspec_text(std::size_t row, std::uint32_t number) const;
  /// Calls `visit` with the row and the number of each job, in their order.
  void for_each_job(const std::function<void(std::size_t row, std::uint32_t number)>& visit) const;
  /// Calls `visit` with the jobspec of each job.
  void for_each_jobspec(const std::function<void(const std::string&)>& visit) const;
};

/// Submits every group, in one transaction or, when they are large, in several under one lock; the reply has
/// the ids in order. Refused with Error{invalid} for a jobspec that is not one, Error{refused} for a job that
/// can never run, that a policy forbids, or whose dependencies can never be satisfied, Error{permission}: all
/// are checked before the first is stored.
struct SubmitRequest {
  using Reply = JobIds;
  std::vector<JobGroup> groups;
};

/// An error that is one job's of several.
class JobError : public Error {
 public:
  /// `place` is that of the job among all of the request; `before` says that some are stored already, empty:
  /// none are.
  JobError(const Error& error, std::size_t place, std::string before)
      : Error(before.empty() ? error : error.within(before)),
        error_(error),
        place_(place),
        before_(std::move(before)) {}

  [[nodiscard]] std::size_t place() const noexcept { return place_; }
  [[nodiscard]] const Error& error() const noexcept { return error_; }
  [[nodiscard]] const std::string& before() const noexcept { return before_; }
  /// The same with the job called so.
  [[nodiscard]] Error naming(std::string_view job) const {
    const Error named = error_.within(job);
    return before_.empty() ? named : named.within(before_);
  }

 private:
  Error error_;
  std::size_t place_;
  std::string before_;
};

}  // namespace fq::request
