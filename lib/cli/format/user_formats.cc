#include "cli/format/user_formats.h"

#include <algorithm>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_source.h"
#include "document/config/yaml.h"

namespace fq::cli {
namespace {

UserFormat read_format(const document::ConfigAt& table) {
  table.allow_only({"format", "description"});
  const auto format = table.find("format");
  if (!format) throw table.fail("a format is missing: format = \"…\"");
  const auto description = table.find("description");
  return {std::string{table.key()}, description ? description->as_string() : "", format->as_string()};
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Where files of formats may lie, what counts most last. As XDG has it, paths that are not absolute are
// ignored.
std::vector<std::string> directories() {
  std::string site = environment_variable("XDG_CONFIG_DIRS");
  if (site.empty()) site = "/etc/xdg";
  std::vector<std::string> all;
  for (const std::string_view part : split(site, ':')) {
    if (part.starts_with('/')) all.insert(all.begin(), std::string{part});
  }
  if (const std::string own = environment_variable("XDG_CONFIG_HOME"); own.starts_with('/')) {
    all.push_back(own);
  } else if (const std::string home = environment_variable("HOME"); !home.empty()) {
    all.push_back(home + "/.config");
  }
  return all;
}

std::vector<UserFormat> read_formats(const document::ConfigAt& file, std::span<const NamedFormat> built_in) {
  file.allow_only({"formats"});
  std::vector<UserFormat> formats;
  const auto tables = file.find("formats");
  if (!tables) return formats;
  for (const document::ConfigAt& table : tables->members()) {
    const std::string_view name = table.key();
    const auto same = [&](const NamedFormat& format) { return format.name == name; };
    if (name == "help" || std::any_of(built_in.begin(), built_in.end(), same)) {
      throw table.fail(fmt::format("{} is a name of fq's own", quote(name)), "choose another one");
    }
    formats.push_back(read_format(table));
  }
  return formats;
}

// A TOML string, which is written as JSON writes one.
std::string toml_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::vector<UserFormat> parse_user_formats(const std::string& text, const std::string& path,
                                           std::span<const NamedFormat> built_in) {
  const bool is_yaml = path.ends_with(".yaml");
  const document::ConfigSource source({{path, is_yaml ? dump_json(document::read_yaml(text, path)) : text}});
  std::vector<UserFormat> formats = read_formats(document::ConfigAt(source.document(), &source), built_in);
  for (UserFormat& format : formats) format.path = path;
  return formats;
}

std::string FormatNames::place(std::string_view name) const {
  const auto own =
      std::find_if(own_.begin(), own_.end(), [&](const UserFormat& format) { return format.name == name; });
  return own != own_.end() ? fmt::format("{}: formats.{}", own->path, name) : std::string{};
}

FormatNames::FormatNames(std::string_view listing, std::string_view wanted,
                         std::span<const NamedFormat> built_in)
    : all_(built_in.begin(), built_in.end()) {
  const bool is_known =
      is_format_text(wanted) || std::any_of(built_in.begin(), built_in.end(),
                                            [&](const auto& format) { return format.name == wanted; });
  if (is_known) return;
  for (const std::string& directory : directories()) {
    for (const std::string_view extension : {".json", ".yaml", ".toml"}) {
      const std::string path = fmt::format("{}/fq/{}{}", directory, listing, extension);
      const auto text = read_file_if_exists(path);
      if (!text) continue;
      for (UserFormat& format : parse_user_formats(*text, path, built_in)) {
        const auto before = std::find_if(own_.begin(), own_.end(),
                                         [&](const UserFormat& other) { return other.name == format.name; });
        if (before != own_.end()) {
          *before = std::move(format);
        } else {
          own_.push_back(std::move(format));
        }
      }
    }
  }
  for (const UserFormat& format : own_) all_.push_back({format.name, format.description, format.format});
}

std::optional<std::string> FormatNames::told(std::string_view wanted,
                                             std::span<const FieldName> fields) const {
  constexpr std::string_view kConfig = "get-config=";
  if (wanted == "help") return format_help(all_, fields);
  if (!wanted.starts_with(kConfig) || is_format_text(wanted)) return std::nullopt;
  const std::string_view name = wanted.substr(kConfig.size());
  const std::string_view format = find_format(name, all_);
  const auto named =
      std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.name == name; });
  if (named == all_.end()) throw error(Kind::usage, "{} is no name of a format", quote(name));
  std::string out = fmt::format("[formats.{}]\n", name);
  if (!named->description.empty()) out += fmt::format("description = {}\n", toml_string(named->description));
  return out + fmt::format("format = {}\n", toml_string(format));
}

}  // namespace fq::cli
