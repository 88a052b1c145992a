// What is told of a job names others: those that come before it, that it was preempted for, that are being
// cleaned up. Where `access.private` is set those that the reader does not see are `another job` there.

#pragma once

#include <string>

#include "job/job.h"
#include "manager/core/permission.h"

namespace fq::manager {

/// The text, with `another job` in place of each `job ƒ…` that is hidden from who has these rights.
[[nodiscard]] std::string without_hidden_jobs(Rights& rights, std::string text);
/// The same of an event log, whose events name jobs in numbers, too.
[[nodiscard]] std::string eventlog_without_hidden_jobs(Rights& rights, std::string log);
/// The same of what a job's record says: its annotations, its exception, and what it was preempted for.
void hide_jobs_in(Rights& rights, job::Job& job);

}  // namespace fq::manager
