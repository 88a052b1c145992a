#include "cli/user_formats.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <toml.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::cli {
namespace {

/// What is wrong at a place of the file.
Error fail_at(const std::string& path, const toml::value& at, std::string_view message,
              std::string hint = {}) {
  return Error{Kind::invalid, fmt::format("{}:{}: {}", path, at.location().line(), message), std::move(hint)};
}

std::string text_of(const std::string& path, const std::string& key, const toml::value& value) {
  if (!value.is_string()) throw fail_at(path, value, fmt::format("{} is not a string", quote(key)));
  return value.as_string().str;
}

UserFormat read_format(const std::string& path, const std::string& name, const toml::value& table) {
  static const std::vector<std::string> kKeys{"format", "description"};
  if (!table.is_table()) {
    throw fail_at(path, table, fmt::format("{} is not a table", quote("formats." + name)),
                  fmt::format("[formats.{}], then format = \"…\"", name));
  }
  UserFormat format{name, "", ""};
  for (const auto& [key, value] : table.as_table()) {
    if (key == "format") {
      format.format = text_of(path, key, value);
    } else if (key == "description") {
      format.description = text_of(path, key, value);
    } else {
      std::string hint = did_you_mean(key, kKeys);
      if (hint.empty()) hint = "a format has a format and a description";
      throw fail_at(path, value, fmt::format("unknown key {}", quote(key)), std::move(hint));
    }
  }
  if (!table.contains("format")) {
    throw fail_at(path, table, fmt::format("{} has no key 'format'", quote("formats." + name)));
  }
  return format;
}

/// What the parser itself says takes many lines and names its functions; the place is what a user needs.
toml::value parse(const std::string& text, const std::string& path) {
  std::istringstream stream(text);
  try {
    return toml::parse(stream, path);
  } catch (const toml::exception& failure) {
    throw error(Kind::invalid, "{}:{}: not valid TOML: {}", path, failure.location().line(),
                quote(failure.location().line_str()));
  } catch (const std::exception& failure) {  // it fails on some texts before it has a place
    throw error(Kind::invalid, "{}: not valid TOML", path);
  }
}

std::string user_file(std::string_view listing) {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fmt::format("{}/fq/{}.toml", config, listing);
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return fmt::format("{}/.config/fq/{}.toml", home, listing);
}

}  // namespace

std::vector<UserFormat> parse_user_formats(const std::string& text, const std::string& path,
                                           std::span<const NamedFormat> built_in) {
  if (!is_valid_utf8(text)) throw error(Kind::invalid, "{}: not valid UTF-8", path);
  std::vector<UserFormat> formats;
  const toml::value file = parse(text, path);
  for (const auto& [key, tables] : file.as_table()) {
    if (key != "formats" || !tables.is_table()) {
      throw fail_at(path, tables, fmt::format("unknown key {}", quote(key)),
                    "formats are tables [formats.NAME]");
    }
    for (const auto& [name, table] : tables.as_table()) {
      const auto same = [&, &wanted = name](const NamedFormat& format) { return format.name == wanted; };
      if (name == "help" || std::any_of(built_in.begin(), built_in.end(), same)) {
        throw fail_at(path, table, fmt::format("{} is a name of fq's own", quote(name)),
                      "choose another one");
      }
      formats.push_back(read_format(path, name, table));
    }
  }
  const auto by_name = [](const UserFormat& a, const UserFormat& b) { return a.name < b.name; };
  std::sort(formats.begin(), formats.end(), by_name);
  return formats;
}

FormatNames::FormatNames(std::string_view listing, std::string_view wanted,
                         std::span<const NamedFormat> built_in)
    : all_(built_in.begin(), built_in.end()) {
  const bool is_known =
      is_format_text(wanted) || std::any_of(built_in.begin(), built_in.end(),
                                            [&](const auto& format) { return format.name == wanted; });
  const std::string path = is_known ? std::string{} : user_file(listing);
  if (path.empty()) return;
  const auto text = read_file_if_exists(path);
  if (!text) return;
  own_ = parse_user_formats(*text, path, built_in);
  for (const UserFormat& format : own_) all_.push_back({format.name, format.description, format.format});
}

}  // namespace fq::cli
