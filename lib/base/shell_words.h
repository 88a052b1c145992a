// Words as a POSIX shell cuts and quotes them. Nothing is expanded.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fq {

/// White space that separates words.
inline constexpr std::string_view kShellBlanks = " \t\n\r\f\v";

/// Moves what `rest` begins with to the end of `word`: a quoted text without its quotes, the character after
/// a backslash, or one plain character. REQUIRES a `rest` that is not empty. Throws Error{invalid} `no
/// closing quote` or `nothing follows the backslash`.
void take_shell_text(std::string_view& rest, std::string& word);

/// The words of a line. Throws Error{invalid} `'TEXT': no closing quote`.
[[nodiscard]] std::vector<std::string> split_shell_words(std::string_view text);

/// `word` as a shell reads it: as it is where that is safe, else in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view word);

}  // namespace fq
