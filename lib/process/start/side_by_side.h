// Commands that run beside each other, with this process's standard input, until all have ended.

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "process/signals/interrupt.h"
#include "process/start/process.h"

namespace fq::process {

struct SideBySide {
  std::vector<TaskCommand> commands;  ///< what they read and write is set here
  bool reads_input = true;            ///< each reads all of this process's standard input; else nothing
  /// What one of them wrote, on stderr or not.
  std::function<void(std::size_t command, bool error, std::string_view bytes)> write;
  /// One cannot be run: why.
  std::function<void(std::size_t command, const std::string& why)> not_run;
};

/// Returns their wait statuses when all have ended, whoever else may still have what they wrote to. What
/// `interrupts` counts is passed on to them as INT; twice within a second as KILL. A command that is alone
/// reads standard input itself, and where that is a terminal gets the interrupts of that by itself. Throws
/// Error where none could be started.
[[nodiscard]] std::vector<int> run_side_by_side(SideBySide run, InterruptCounter& interrupts,
                                                const Clock& clock);

}  // namespace fq::process
