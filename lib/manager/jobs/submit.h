// Submission: one jobspec, or many that differ in some texts, becomes jobs.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/core/change.h"
#include "manager/jobs/jobspec_template.h"
#include "notation/idset.h"

namespace fq::manager {

/// A job for each row or, where there are copies, for each copy of each row: row by row.
struct SubmitRequest {
  JobspecTemplate jobspec;
  std::vector<JobTexts> rows;  ///< none: one row, and the jobspec has no places
  notation::Idset copies;      ///< the numbers of each row's copies; empty: one, without a number
  std::uint8_t urgency = job::kUrgencyDefault;
  std::uint32_t flags = 0;

  /// How many jobs it asks for.
  [[nodiscard]] std::size_t size() const;
  /// The jobspec of a row's copy. `number` is of no account where there are no copies.
  [[nodiscard]] std::string jobspec_text(std::size_t row, std::uint32_t number) const;
  /// Calls `visit` with the jobspec of each job.
  void for_each_jobspec(const std::function<void(const std::string&)>& visit) const;
};

/// The jobspec, checked for all that no store would take: form, constraints, dependencies, shell options and
/// files. Throws Error{invalid}.
[[nodiscard]] document::Jobspec checked_jobspec(std::string_view text);

/// Requests as JSON, for handing one over to another process.
[[nodiscard]] std::string encode(const SubmitRequest& request);
[[nodiscard]] SubmitRequest decode_submit(std::string_view text);

/// Submits every request, in one transaction or, when they are large, in several under one lock, and returns
/// the ids in order. Throws Error{invalid} for a jobspec that is not one, Error{refused} for a job that can
/// never run, that a policy forbids, or whose dependencies can never be satisfied, Error{permission}: all
/// requests are checked before the first is stored. Of an error that is a job's, unless all jobs are refused
/// in the same words, the message begins with what `call_job` says of the first job with this error, by its
/// place among all, unless that is empty; it is called once the store is unlocked.
[[nodiscard]] std::vector<JobId> submit(const Session& session, const std::vector<SubmitRequest>& requests,
                                        const std::function<std::string(std::size_t)>& call_job = {});

/// The same with one request, as a part of `change`. What it throws has posted nothing where the request is
/// for one job.
[[nodiscard]] std::vector<JobId> submit_within(Change& change, const SubmitRequest& request);

}  // namespace fq::manager
