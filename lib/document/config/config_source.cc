#include "document/config/config_source.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include <toml.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_path.h"

namespace fq::document {

using nlohmann::json;

/// A file that is TOML, or JSON where it begins with a brace. The parser's tree takes thirty times the memory
/// of the text: only the JSON is kept, and where something is wrong the text is parsed again to tell its
/// line.
struct ParsedFile {
  std::string name;
  std::string text;
  json document;
};

namespace {

// Refuses what the parser would follow to the end of the stack, or of the day: deep nesting and long dotted
// keys. Brackets and dots in strings and comments do not count.
class DepthGuard {
 public:
  DepthGuard(const ConfigSource::File& file) : file_(file), text_(file.text) {}

  void check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
      dots_ = c == '.' ? dots_ + 1 : (std::strchr("=,[{\n", c) != nullptr ? 0 : dots_);
      if (depth_ > kMost || dots_ > kMost) {
        throw error(Kind::invalid, "{}:{}: nested more than {} levels deep", file_.name,
                    1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'),
                    kMost);
      }
      ++at_;
    }
  }

 private:
  static constexpr int kMost = 32;

  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool several_lines = text_.substr(at_).starts_with(three);
    const std::string_view end = several_lines ? std::string_view{three} : std::string_view{three}.substr(2);
    for (at_ += end.size(); at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (text_.substr(at_).starts_with(end)) {
        at_ += end.size();
        return;
      } else if (text_[at_] == '\n' && !several_lines) {
        return;
      }
    }
  }

  const ConfigSource::File& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, dots_ = 0;
};

// The library draws the line and a mark below it,
//
//    2 | a = 2
//      |     ^--- value defined twice
//
// and only the drawing has the column of the mark. Of several drawings the last shows what is wrong.
// What is wrong with a line that the library says no more of than that no key is there; empty: not known.
std::string_view wrong_line(std::string_view text, std::uint64_t number) {
  const std::vector<std::string_view> lines = split(text, '\n');
  if (number == 0 || number > lines.size()) return {};
  const std::string_view line = trim(lines[number - 1]);
  if (line.starts_with('[') && line.find(']') == std::string_view::npos)
    return "the name of the table is not closed by ']'";
  if (line.find('=') == std::string_view::npos) return "expected KEY = VALUE or [TABLE]";
  return {};
}

Error syntax_error(const std::string& name, const std::string& source, const toml::exception& failure) {
  std::uint64_t line = failure.location().line(), column = failure.location().column();
  const std::string text = failure.what();
  const std::vector<std::string_view> lines = split(text, '\n');
  std::string_view remark;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::size_t bar = lines[i].find(" | ");
    if (bar == std::string_view::npos) continue;
    const auto number = parse_u64(trim(lines[i].substr(0, bar)));
    const std::size_t mark = lines[i + 1].find_first_of("^~", bar);
    if (!number || mark == std::string_view::npos) continue;
    line = *number;
    column = mark - (bar + 3) + 1;
    const std::size_t words = lines[i + 1].find(' ', mark);
    remark = words == std::string_view::npos ? std::string_view{} : trim(lines[i + 1].substr(words));
  }
  std::string_view message = lines.front();
  if (message.starts_with("[error] ")) message.remove_prefix(8);
  if (const std::size_t function = message.find(": ");
      function != std::string_view::npos && message.find(' ') > function) {
    message.remove_prefix(function + 2);
  }
  message = trim(message);
  if (message.ends_with('.')) message.remove_suffix(1);
  if (message.empty()) message = remark;
  if (message == "an invalid key appeared") {
    if (const std::string_view known = wrong_line(source, line); !known.empty()) message = known;
  }
  return error(Kind::invalid, "{}:{}:{}: {}", name, line, column, message);
}

std::string place_of(const std::string& name, const toml::value& value) {
  return fmt::format("{}:{}", name, value.location().line());
}

json to_json(const std::string& name, const toml::value& value) {
  switch (value.type()) {
    case toml::value_t::boolean:
      return value.as_boolean();
    case toml::value_t::integer:
      return value.as_integer();
    case toml::value_t::floating:
      if (!std::isfinite(value.as_floating())) {
        throw error(Kind::invalid, "{}: the number is not finite", place_of(name, value));
      }
      return value.as_floating();
    case toml::value_t::string:
      return value.as_string().str;
    case toml::value_t::array: {
      json array = json::array();
      for (const toml::value& element : value.as_array()) array.push_back(to_json(name, element));
      return array;
    }
    case toml::value_t::table: {
      json object = json::object();
      for (const auto& [key, member] : value.as_table()) {
        if (!is_valid_utf8(key)) {
          throw error(Kind::invalid, "{}: a key is not valid UTF-8", place_of(name, member));
        }
        object[key] = to_json(name, member);
      }
      return object;
    }
    default:
      throw Error{Kind::invalid, fmt::format("{}: no key takes a date or a time", place_of(name, value)),
                  "durations are texts: \"1h\""};
  }
}

toml::value parse_toml(const std::string& name, const std::string& text) {
  try {
    std::istringstream stream(text);
    return toml::parse(stream, name);
  } catch (const toml::exception& failure) {
    throw syntax_error(name, text, failure);
  } catch (const std::exception&) {  // it fails on some texts before it has a place
    throw error(Kind::invalid, "{}: not TOML", name);
  }
}

bool is_json(const std::string& text) {
  return trim(text).starts_with('{');
}

json parse_json_file(const std::string& name, const std::string& text) {
  try {
    return parse_json(text, name);
  } catch (const Error& failure) {
    throw Error{Kind::invalid, failure.what(), failure.hint()};
  }
}

ParsedFile parse(const ConfigSource::File& file) {
  if (file.text.size() > ConfigSource::kMaxBytes) {
    throw error(Kind::invalid, "{}: more than {} bytes", file.name, ConfigSource::kMaxBytes);
  }
  if (const std::size_t zero = file.text.find('\0'); zero != std::string::npos || !is_valid_utf8(file.text)) {
    const std::vector<std::string_view> lines = split(file.text, '\n');
    const auto bad = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
      return line.find('\0') != std::string_view::npos || !is_valid_utf8(line);
    });
    throw error(Kind::invalid, "{}:{}: not UTF-8 text", file.name, bad - lines.begin() + 1);
  }
  if (is_json(file.text)) return {file.name, file.text, parse_json_file(file.name, file.text)};
  DepthGuard(file).check();
  return {file.name, file.text, to_json(file.name, parse_toml(file.name, file.text))};
}

}  // namespace

struct ConfigSource::Parsed {
  std::vector<ParsedFile> files;
  json document = json::object();
};

namespace {

// How many keys of `path` lead to a value.
std::size_t walk(const json& root, const ConfigPath& path) {
  const json* value = &root;
  std::size_t depth = 0;
  for (; depth < path.size(); ++depth) {
    const auto member = value->is_object() ? value->find(path[depth]) : value->end();
    if (member == value->end()) break;
    value = &*member;
  }
  return depth;
}

// The value at `path`, or the deepest one on the way to it; how many keys led there.
std::pair<const toml::value*, std::size_t> walk(const toml::value& root, const ConfigPath& path) {
  const toml::value* value = &root;
  std::size_t depth = 0;
  for (; depth < path.size(); ++depth) {
    const toml::value* member = nullptr;
    if (value->is_table()) {
      const auto found = value->as_table().find(path[depth]);
      if (found != value->as_table().end()) member = &found->second;
    } else if (value->is_array() && path[depth].starts_with('[')) {
      const auto number = parse_u64(std::string_view{path[depth]}.substr(1, path[depth].size() - 2));
      if (number && *number < value->as_array().size()) member = &value->as_array()[*number];
    }
    if (member == nullptr) break;
    value = member;
  }
  return {value, depth};
}

/// Where in a file the value at a path stands, or the deepest one on the way to it.
struct Place {
  std::string text;
  std::size_t depth = 0;  ///< how many keys led there
};
Place find_place(const ParsedFile& file, const ConfigPath& path) {
  if (is_json(file.text)) return {file.name, walk(parse_json_file(file.name, file.text), path)};
  const toml::value root = parse_toml(file.name, file.text);
  const auto [value, depth] = walk(root, path);
  return {place_of(file.name, *value), depth};
}

void merge(json& into, const json& from, const ParsedFile& file, const std::vector<ParsedFile>& before,
           ConfigPath& path) {
  for (const auto& [key, value] : from.items()) {
    path.emplace_back(key);
    const auto there = into.find(key);
    if (there == into.end()) {
      into[key] = value;
    } else if (there->is_object() && value.is_object()) {
      merge(*there, value, file, before, path);
    } else {
      const auto first = std::find_if(before.begin(), before.end(), [&](const ParsedFile& other) {
        return find_place(other, path).depth == path.size();
      });
      throw error(Kind::invalid, "{}: {}: is set in {} already", find_place(file, path).text, join_path(path),
                  find_place(*first, path).text);
    }
    path.pop_back();
  }
}

}  // namespace

ConfigSource::ConfigSource(const std::vector<File>& files) {
  auto parsed = std::make_unique<Parsed>();
  for (const File& file : files) {
    ParsedFile one = parse(file);
    ConfigPath path;
    const json document = std::move(one.document);
    merge(parsed->document, document, one, parsed->files, path);
    parsed->files.push_back(std::move(one));
  }
  parsed_ = std::move(parsed);
}

ConfigSource::~ConfigSource() = default;

const json& ConfigSource::document() const {
  return parsed_->document;
}

std::string ConfigSource::place(const ConfigPath& path) const {
  std::string place;
  std::size_t deepest = 0;
  for (const ParsedFile& file : parsed_->files) {
    Place here = find_place(file, path);
    if (place.empty() || here.depth > deepest) place = std::move(here.text);
    deepest = std::max(deepest, here.depth);
  }
  return place;
}

}  // namespace fq::document
