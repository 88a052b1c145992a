#include "process/user/login_session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "process/tree/cgroup.h"

namespace fq::process {
namespace {

/// What logind.conf(5) says of ended sessions.
struct LogindConfig {
  bool kill = false;
  std::vector<std::string> only, exclude{"root"};
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) out.emplace_back(word);
  }
  return out;
}

void read_config(LogindConfig& config, const std::string& path) {
  const auto text = read_file_if_exists(path);
  if (!text) return;
  for (std::string_view line : split(*text, '\n')) {
    line = trim(line);
    // The file that comes with systemd has its built-in default as a comment.
    if (line.starts_with("#KillUserProcesses=")) line.remove_prefix(1);
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = trim(line.substr(0, equals));
    const std::string_view value = equals < line.size() ? trim(line.substr(equals + 1)) : std::string_view{};
    if (key == "KillUserProcesses")
      config.kill = value == "yes" || value == "true" || value == "1" || value == "on";
    if (key == "KillOnlyUsers") config.only = words(value);
    if (key == "KillExcludeUsers") config.exclude = words(value);
  }
}

/// The file of the distribution, that of the administrator in its place, then drop-ins by name, of which the
/// administrator's stand in for others of the same name.
LogindConfig read_logind_config(const std::string& root) {
  LogindConfig config;
  std::map<std::string, std::string> drop_ins;
  const char* const directories[] = {"/usr/lib/systemd", "/run/systemd", "/etc/systemd"};
  for (const char* directory : directories) {
    read_config(config, fmt::format("{}{}/logind.conf", root, directory));
    std::error_code failure;
    const std::string folder = fmt::format("{}{}/logind.conf.d", root, directory);
    for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
      if (entry.path().extension() == ".conf") drop_ins[entry.path().filename()] = entry.path().string();
    }
  }
  for (const auto& [name, path] : drop_ins) read_config(config, path);
  return config;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

LogoutEnds logout_ends(std::string_view cgroup, const std::string& user, const std::string& root) {
  const std::vector<std::string_view> groups = split(cgroup, '/');
  const auto is = [](std::string_view prefix, std::string_view suffix) {
    return [=](std::string_view group) { return group.starts_with(prefix) && group.ends_with(suffix); };
  };
  try {
    if (std::any_of(groups.begin(), groups.end(), is("user@", ".service"))) {
      const bool lingers = exists(fmt::format("{}/var/lib/systemd/linger/{}", root, user));
      return lingers ? LogoutEnds::nothing : LogoutEnds::user_manager;
    }
    if (std::none_of(groups.begin(), groups.end(), is("session-", ".scope"))) return LogoutEnds::nothing;
    const LogindConfig config = read_logind_config(root);
    const bool meant = config.only.empty() || contains(config.only, user);
    const bool killed = config.kill && meant && !contains(config.exclude, user);
    return killed ? LogoutEnds::session : LogoutEnds::nothing;
  } catch (const Error&) {  // a file that may not be read
    return LogoutEnds::nothing;
  }
}

LogoutEnds logout_ends() {
  const std::string cgroup = own_cgroup();
  const passwd* user = ::getpwuid(::getuid());
  if (cgroup.empty() || user == nullptr) return LogoutEnds::nothing;
  return logout_ends(cgroup, user->pw_name, "");
}

}  // namespace fq::process
