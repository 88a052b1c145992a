// Writing to stdout and stderr so that no failure is lost: a command that cannot say its answer has failed.
// What holds words of users goes to the terminal by print_line and say alone; documents and the output of
// jobs stay as they are.

#pragma once

#include <string_view>

namespace fq::cli {

/// Thrown by print when the reader of stdout is gone (EPIPE) and SIGPIPE is ignored. Not an error to report.
struct OutputClosed {};

/// Writes all of `text` to stdout, behind what stdio holds for it. Throws OutputClosed, or Error
/// `standard output: …`.
void print(std::string_view text);

/// For commands whose answer cannot be asked for again: throws Error{io} `standard output: …` where stdout
/// was closed, before anything is done.
void require_output();

/// Prints `text` as one line, whatever it was made from (base/text.h: printable).
void print_line(std::string_view text);

/// Says `COMMAND: TEXT` on stderr, one line in the same way, as the locale can show it.
void say(std::string_view command, std::string_view text);

/// Writes `text` to stderr as it is, as far as that is possible; a failure has nowhere to be said.
void print_error(std::string_view text) noexcept;

}  // namespace fq::cli
