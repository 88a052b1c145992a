// YAML as fq reads it: one document, with the types of the YAML 1.2 core schema; keys become strings.

#pragma once

#include <cstddef>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq::document {

/// The largest text that read_yaml takes, and the most that it becomes with its aliases written out.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20U;

/// The document as JSON. `what` names it in errors (`jobspec: line 3, column 7: …`). Throws Error{invalid}
/// for what is no YAML, nests too deep, has a key twice, or is more than one document.
[[nodiscard]] nlohmann::json read_yaml(std::string_view text, std::string_view what);

}  // namespace fq::document
