#include "cli/follow/job_failure.h"

#include <csignal>
#include <cstring>

#include <fmt/core.h>

#include "meeting/outcome.h"

namespace fq::cli {
namespace {

// Its tasks succeeded, and not all that they wrote could be kept.
bool completed_with_loss(const job::Job& job) {
  return job::result(job) == job::Result::completed && job.exception.type == "exec" &&
         job.exception.note == meeting::kIncompleteOutput;
}

}  // namespace

std::optional<std::string> failure_text(const job::Job& job) {
  switch (job::result(job)) {
    case job::Result::completed:
    case job::Result::none:
      return std::nullopt;
    case job::Result::canceled:
      return job.exception.note.empty() ? "canceled" : fmt::format("canceled: {}", job.exception.note);
    case job::Result::timeout:
      return fmt::format("{}: {}", job.exception.type, job.exception.note);
    case job::Result::failed:
      break;
  }
  if (job.exception.occurred && job.exception.severity == 0) {
    return fmt::format("{}: {}", job.exception.type, job.exception.note);
  }
  const int code = job::exit_code(job);
  constexpr int kSignalBase = 128;
  if (code > kSignalBase && code < kSignalBase + NSIG) {
    return fmt::format("task(s) {}", ::strsignal(code - kSignalBase));
  }
  return fmt::format("task(s) exited with exit code {}", code);
}

int exit_code_with_output(const job::Job& job) {
  return completed_with_loss(job) ? 1 : job::exit_code(job);
}

std::optional<std::string> failure_text_with_output(const job::Job& job) {
  return completed_with_loss(job) ? job.exception.note : failure_text(job);
}

}  // namespace fq::cli
