// Base64 (RFC 4648 §4): bytes as text of A-Z a-z 0-9 + /, padded with = to a multiple of four.

#pragma once

#include <string>
#include <string_view>

namespace fq {

[[nodiscard]] std::string encode_base64(std::string_view bytes);
/// The bytes of `text`. Throws Error{invalid} for other characters, a wrong length, missing padding and for
/// bits in the last character that stand for nothing: every byte string has one text.
[[nodiscard]] std::string decode_base64(std::string_view text);

/// Appends bytes as JSON: a string or, where they are not UTF-8, `{"base64":"…"}`.
void append_json_bytes(std::string& out, std::string_view bytes);

}  // namespace fq
