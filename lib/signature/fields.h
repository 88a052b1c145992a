// Lists of byte strings as one, without a character that means something: `SIZE:BYTES` for each, SIZE in
// decimal digits without leading zeros. A list has one such text.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fq::signature {

[[nodiscard]] std::string encode_fields(const std::vector<std::string>& fields);
/// The fields of `text`, which they are views into. Throws Refused where it is no such text, or has more than
/// `most`.
[[nodiscard]] std::vector<std::string_view> decode_fields(std::string_view text, std::size_t most = SIZE_MAX);

/// A decimal number without sign and leading zeros, at most `most`. Throws Refused `WHAT is not a number …`.
[[nodiscard]] std::uint64_t parse_number(std::string_view text, std::string_view what,
                                         std::uint64_t most = UINT64_MAX);

/// What a template of many jobs is for one of them: pieces[0] values[0] pieces[1] … Both are lists as above.
/// Throws Refused unless there is a piece more than there are values.
[[nodiscard]] std::string fill_template(std::string_view pieces, std::string_view values);

}  // namespace fq::signature
