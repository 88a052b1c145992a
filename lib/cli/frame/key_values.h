// KEY[=VALUE] as -o and -S take it: a dotted key, and a value that is JSON where it can be read as such, else
// text; 1 where there is none. ^KEY=FILE reads the value from a JSON file.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

namespace fq::cli {

/// A key and its value.
using KeyValue = std::pair<std::string, nlohmann::json>;

/// Reads one; `read_file` gets the name of a file that it names. Throws Error{usage}.
[[nodiscard]] KeyValue parse_key_value(std::string_view text,
                                       const std::function<std::string(const std::string&)>& read_file);

/// The value as JSON where it can be read as such, else as text. Throws Error{usage} for what is not UTF-8.
[[nodiscard]] nlohmann::json json_or_text(std::string_view value);

/// KEY=VALUE in its two parts. Throws Error{usage} when either `=` or the key is missing.
[[nodiscard]] std::pair<std::string, std::string> split_assignment(std::string_view text);

/// Sets the value at a dotted path, making the objects that lead there. Throws Error{usage} where part of the
/// path is empty or leads through something else than an object.
void set_at_path(nlohmann::json& root, std::string_view path, nlohmann::json value);

/// The path below the document for a key of -S: `duration` is `attributes.system.duration`, `user.x` is
/// `attributes.user.x`, and a key that begins with a dot counts from `attributes`.
[[nodiscard]] std::string attribute_path(std::string_view key);

}  // namespace fq::cli
