// The digits of the emoji form of a FLUID (RFC 19).

#pragma once

#include <cstddef>
#include <string_view>

namespace fq::notation {

constexpr std::size_t kEmojiCount = 576;
constexpr std::size_t kEmojiBytes = 4;
/// The emoji of the emoji form one after the other, kEmojiBytes of UTF-8 each; the one at index i stands
/// for i.
extern const std::string_view kEmoji;

}  // namespace fq::notation
