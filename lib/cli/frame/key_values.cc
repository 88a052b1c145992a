#include "cli/frame/key_values.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace fq::cli {

using nlohmann::json;

KeyValue parse_key_value(std::string_view text,
                         const std::function<std::string(const std::string&)>& read_file) {
  if (!is_valid_utf8(text)) throw error(Kind::usage, "{}: not valid UTF-8", quote(text));
  const std::size_t equals = text.find('=');
  const bool from_file = text.starts_with('^');
  const std::string key{text.substr(from_file ? 1 : 0, equals - (from_file && equals != text.npos ? 1 : 0))};
  if (key.empty()) throw error(Kind::usage, "{}: the key is missing", quote(text));
  if (equals == std::string_view::npos) {
    if (from_file) throw error(Kind::usage, "{}: the file is missing: ^KEY=FILE", quote(text));
    return {key, 1};
  }
  const std::string value{text.substr(equals + 1)};
  if (from_file) return {key, parse_json(read_file(value), value)};
  return {key, json_or_text(value)};
}

json json_or_text(std::string_view value) {
  if (!is_valid_utf8(value)) throw error(Kind::usage, "{}: not valid UTF-8", quote(value));
  UnreadJson why;
  if (auto read = read_json(value, kMaxJsonDepth, kMaxJsonBytes, &why)) return *std::move(read);
  if (why.duplicate) throw error(Kind::usage, "the key {} is there twice", quote(why.duplicate->key));
  return value;
}

std::pair<std::string, std::string> split_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw error(Kind::usage, "expected KEY=VALUE, got {}", quote(text));
  }
  return {std::string{text.substr(0, equals)}, std::string{text.substr(equals + 1)}};
}

void set_at_path(json& root, std::string_view path, json value) {
  // Printing and copying a value recurse.
  if (std::count(path.begin(), path.end(), '.') >= static_cast<std::ptrdiff_t>(kMaxJsonDepth))
    throw error(Kind::usage, "{}: nested more than {} levels deep", quote_cut(path), kMaxJsonDepth);
  json* at = &root;
  std::string_view rest = path;
  for (;;) {
    const std::size_t dot = rest.find('.');
    const std::string part{rest.substr(0, dot)};
    if (part.empty()) throw error(Kind::usage, "{}: part of the key is empty", quote(path));
    if (at->is_null()) *at = json::object();
    if (!at->is_object()) {
      const std::string_view parent = path.substr(0, path.size() - rest.size() - 1);
      throw error(Kind::usage, "{}: {} is {}, not an object", quote(path), quote(parent),
                  json_type_name(*at));
    }
    at = &(*at)[part];
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  *at = std::move(value);
}

std::string attribute_path(std::string_view key) {
  if (key.starts_with('.')) return "attributes" + std::string{key};
  if (key.starts_with("attributes.")) return std::string{key};
  if (key.starts_with("user.") || key.starts_with("system.")) return "attributes." + std::string{key};
  return "attributes.system." + std::string{key};
}

}  // namespace fq::cli
