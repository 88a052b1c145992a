// The frame around every command: the one place that catches what a command throws, says it on stderr in one
// line and turns it into an exit code.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fq::cli {

/// The exit code of a command that an interrupt ended.
inline constexpr int kInterrupted = 130;  // 128 + SIGINT

/// Thrown by option parsing when the command line asks for text instead of work (--help, --version): the
/// text goes to stdout, the code is returned.
struct EarlyExit {
  std::string text;
  int code = 0;
};

/// Runs `tool` and returns the exit code of the process.
///
///   returned by the tool   its value
///   EarlyExit              its code, after its text was printed
///   OutputClosed           141, as if SIGPIPE had ended the process; nothing is said
///   Error                  exit_code(kind); `name: message (hint)` on stderr
///   any other exception    1; `name: internal error: …`
///
/// What stdio still holds for stdout is written before it returns; if that fails the code is 1 (141 where the
/// reader went away). Standard streams that are closed when it starts are first filled with /dev/null, in the
/// direction that makes using them an error, so that no file of the store is ever opened as one of them.
[[nodiscard]] int run_tool(std::string_view name, int argc, char** argv,
                           const std::function<int(int, char**)>& tool);

/// The line for stderr, newline included: `fq-submit: queue 'debg' does not exist (did you mean 'debug'?)`.
[[nodiscard]] std::string error_line(std::string_view name, const Error& failure);

}  // namespace fq::cli
