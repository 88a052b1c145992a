// Small text helpers shared by every layer: splitting, joining, quoting, numbers, near matches.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fq {

/// The pieces of `text` between `separator`s; an empty text gives one empty piece.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
/// `text` without ASCII white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);

/// The whole of `text` as a decimal number without sign, or nothing when it is not one or does not fit.
[[nodiscard]] std::optional<std::uint64_t> parse_u64(std::string_view text);

/// `text` on one line that does nothing to a terminal: what is harmful (base/utf8.h) is escaped, as `\n`,
/// `\t` or byte by byte as `\x1b`.
[[nodiscard]] std::string printable(std::string_view text);
/// Single quotes around the same: fit for any message.
[[nodiscard]] std::string quote(std::string_view text);
/// The same, cut when it is long: for what could fill screens.
[[nodiscard]] std::string quote_cut(std::string_view text);
[[nodiscard]] bool is_valid_utf8(std::string_view text);

/// `1 job`, `2 jobs`.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

/// The candidate nearest to `word` by edit distance, if near enough to be meant; else nothing.
[[nodiscard]] std::optional<std::string> near_match(std::string_view word,
                                                    std::span<const std::string> candidates);
/// `did you mean 'X'?` for the near match, or an empty string.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace fq
