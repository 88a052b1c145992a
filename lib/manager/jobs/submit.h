// Submission: one jobspec, or copies of it that differ in a number or in some texts, becomes jobs.

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

/// The texts of one job: for each place of the template the JSON text of one string or more, `"a","b"`.
using JobTexts = std::vector<std::string>;

struct SubmitRequest {
  JobspecTemplate jobspec;
  notation::Idset copies;       ///< their numbers; empty: one job, or
  std::vector<JobTexts> texts;  ///< a job for each
  std::uint8_t urgency = job::kUrgencyDefault;
  std::uint32_t flags = 0;
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
