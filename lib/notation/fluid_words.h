// The words form of a FLUID (RFC 19): three words for each half, the lower one first:
// `reform-remote-galileo--heart-package-academy`. The words are mnemonicode's, in its order: 1 626 digits of
// base 1626. fq brings no list of them: it reads the one that is installed.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fq::notation {

/// Throws Error{unavailable} where no list is installed, or a damaged one.
[[nodiscard]] std::string to_words(std::uint64_t value);

/// The value of six words with hyphens between; nothing where `text` is no such thing, or no list is there to
/// tell. Throws Error{invalid} for a word that is not of the list, or three that stand for no number.
[[nodiscard]] std::optional<std::uint64_t> parse_words(std::string_view text);

}  // namespace fq::notation
