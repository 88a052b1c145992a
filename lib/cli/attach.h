// Following a job: its output as it comes, to its end.

#pragma once

#include <optional>
#include <string_view>

#include "exec/interrupt.h"
#include "job/job.h"
#include "manager/session.h"

namespace fq::cli {

struct AttachOptions {
  std::string_view command;  ///< who speaks in messages: `fq-run`
  bool label_io = false;     ///< `RANK: ` before each line
  /// INT and TERM that it counts go to the job; twice within 2 s cancel it. Not owned; null: none.
  exec::InterruptCounter* interrupts = nullptr;
  bool forward_stdin = false;  ///< what comes on stdin goes to the tasks
};

/// Copies what the tasks write to stdout and stderr until the job has ended, then says on stderr how it
/// failed, if it did. Returns the job. Throws Error{not_found}.
job::Job attach(const manager::Session& session, notation::JobId id, const AttachOptions& options);

/// `task(s) exited with exit code 3`, `task(s) Killed`, `canceled: NOTE`; nothing for a job that completed.
/// REQUIRES an inactive job.
[[nodiscard]] std::optional<std::string> failure_text(const job::Job& job);

}  // namespace fq::cli
