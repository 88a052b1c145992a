// Writing to stdout and stderr so that no failure is lost: a command that cannot say its answer has failed.

#pragma once

#include <string_view>

namespace fq::cli {

/// Thrown by print when the reader of stdout is gone (EPIPE) and SIGPIPE is ignored. Not an error to report.
struct OutputClosed {};

/// Writes all of `text` to stdout, behind what stdio holds for it. Throws OutputClosed, or Error
/// `standard output: …`.
void print(std::string_view text);

/// For commands whose answer cannot be asked for again: throws Error{io} `standard output: …` where stdout was
/// closed, before anything is done.
void require_output();

/// Writes `text` to stderr as far as that is possible; a failure has nowhere to be said.
void print_error(std::string_view text) noexcept;

}  // namespace fq::cli
