// Submission: one jobspec, or many that differ in some texts, becomes jobs.

#pragma once

#include <vector>

#include "manager/core/change.h"
#include "request/submit.h"

namespace fq::manager {

using request::JobGroup;
using request::JobTexts;
using request::NumberedText;

/// Submits every group, in one transaction or, when they are large, in several under one lock, and returns
/// the ids in order. Throws as request::SubmitRequest is refused; where an error is one job's of several,
/// unless all jobs are refused in the same words, a request::JobError.
[[nodiscard]] std::vector<JobId> submit(const Session& session, const std::vector<JobGroup>& groups);

/// The same with one group, as a part of `change`. What it throws has posted nothing where the group is one
/// job.
[[nodiscard]] std::vector<JobId> submit_within(Change& change, const JobGroup& group);

}  // namespace fq::manager
