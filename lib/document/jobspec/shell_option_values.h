// What options of the job shell are made of: switches, times, sizes, words; and those of standard I/O, which
// are many. For shell_options.cc.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "document/jobspec/shell_options.h"

namespace fq::document {

/// `PATH: expected …, got 'apend'`, with the word that was meant as hint.
[[nodiscard]] Error unknown_word(const JsonAt& at, std::string_view expected, std::string_view got,
                                 const std::vector<std::string>& words);

/// `-o NAME` gives 1, a document may have true. Each throws Error{invalid} with the path.
[[nodiscard]] bool as_switch(const JsonAt& at);
/// Seconds, or a duration (RFC 23); infinity too.
[[nodiscard]] double as_seconds(const JsonAt& at);

/// `output`, `input` and `pty` into the options. `pty` alone is all tasks, captured; `pty.interactive` task
/// 0, not captured. Throws Error{invalid}; Error{combination} where a file lacks its path.
void parse_output(const JsonAt& at, ShellOptions& options);
void parse_input(const JsonAt& at, ShellOptions& options);
[[nodiscard]] std::optional<PtyOption> parse_pty(const JsonAt& at);

}  // namespace fq::document
