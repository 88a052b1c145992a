// JSON text into values, for parse_json (base/json.h): the fast reader, which does not say what is wrong.

#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq {

/// The value of a JSON text (RFC 8259), as nlohmann::json::parse gives it: of equal keys the last counts,
/// numbers are unsigned, signed or real. Nothing for what is no JSON, nests deeper than `max_depth`, or is
/// left to a reader that explains itself.
[[nodiscard]] std::optional<nlohmann::json> read_json(std::string_view text, std::size_t max_depth);

}  // namespace fq
