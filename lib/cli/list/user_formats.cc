#include "cli/list/user_formats.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "document/config_source.h"

namespace fq::cli {
namespace {

UserFormat read_format(const document::ConfigAt& table) {
  table.allow_only({"format", "description"});
  const auto format = table.find("format");
  if (!format) throw table.fail("a format is missing: format = \"…\"");
  const auto description = table.find("description");
  return {std::string{table.key()}, description ? description->as_string() : "", format->as_string()};
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
  const document::ConfigSource source({{path, text}});
  const document::ConfigAt file(source.document(), &source);
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

std::string FormatNames::place(std::string_view name) const {
  const bool is_own =
      std::any_of(own_.begin(), own_.end(), [&](const UserFormat& format) { return format.name == name; });
  return is_own ? fmt::format("{}: formats.{}", path_, name) : std::string{};
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
  path_ = path;
  own_ = parse_user_formats(*text, path, built_in);
  for (const UserFormat& format : own_) all_.push_back({format.name, format.description, format.format});
}

}  // namespace fq::cli
