// JSON text into values, for parse_json (base/json.h): the fast reader, which does not say what is wrong but
// for keys that are there twice.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq {

/// A key that an object has twice. RFC 8259 leaves open which value counts; fq takes neither.
struct DuplicateKey {
  std::string key;
  std::size_t offset = 0;  ///< of the quote before its second time
};

/// Why a text that may well be JSON was not read.
struct UnreadJson {
  std::optional<DuplicateKey> duplicate;
  bool too_large = false;  ///< its value would take more memory than allowed
};

/// The value of a JSON text (RFC 8259), as nlohmann::json::parse gives it: numbers are unsigned, signed or
/// real. Nothing for what is no JSON, nests deeper than `max_depth`, takes more than `max_bytes` of memory as
/// a value, or has a key twice in one object; `why` then tells the last two.
[[nodiscard]] std::optional<nlohmann::json> read_json(std::string_view text, std::size_t max_depth,
                                                      std::size_t max_bytes, UnreadJson* why = nullptr);

}  // namespace fq
