#include "cli/submit/surroundings.h"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

extern char** environ;

namespace fq::cli {
namespace {

constexpr std::string_view kHostName = "FQ_HOST";

struct RlimitName {
  std::string_view name;
  int resource;
};
// The names of RLIMIT_*, which the job's shell knows too. `ofile` is BSD's name of `nofile`.
constexpr RlimitName kRlimits[] = {
    {"as", RLIMIT_AS},
    {"core", RLIMIT_CORE},
    {"cpu", RLIMIT_CPU},
    {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},
    {"memlock", RLIMIT_MEMLOCK},
    {"msgqueue", RLIMIT_MSGQUEUE},
    {"nice", RLIMIT_NICE},
    {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},
    {"ofile", RLIMIT_NOFILE},
    {"rss", RLIMIT_RSS},
    {"rtprio", RLIMIT_RTPRIO},
    {"rttime", RLIMIT_RTTIME},
    {"sigpending", RLIMIT_SIGPENDING},
    {"stack", RLIMIT_STACK},
};

Rlimits capture_rlimits() {
  Rlimits limits;
  for (const RlimitName& known : kRlimits) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(known.resource), &limit) != 0) continue;
    const bool unlimited = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT64_MAX;
    limits.emplace(known.name, unlimited ? -1 : static_cast<std::int64_t>(limit.rlim_cur));
  }
  return limits;
}

void capture_environment(Surroundings& surroundings) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos) continue;
    // Which machine is asked is the submitter's affair, not the job's.
    if (text.substr(0, equals) == kHostName) continue;
    if (is_valid_utf8(text)) {
      surroundings.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    } else {
      surroundings.left_out.emplace_back(text.substr(0, equals));
    }
  }
}

std::string capture_cwd() {
  std::error_code failure;
  std::string cwd = std::filesystem::current_path(failure).string();
  if (failure) throw system_error("current directory", failure.value());
  return cwd;
}

std::string capture_home(const Environment& environment) {
  if (const auto home = environment.find("HOME"); home != environment.end() && !home->second.empty()) {
    return home->second;
  }
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_dir : "/";
}

}  // namespace

Surroundings capture_surroundings() {
  Surroundings surroundings;
  surroundings.cwd = capture_cwd();
  capture_environment(surroundings);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  surroundings.umask = mask;
  surroundings.rlimits = capture_rlimits();
  surroundings.home = capture_home(surroundings.environment);
  surroundings.window = process::window_size(STDOUT_FILENO);
  if (!surroundings.window) surroundings.window = process::window_size(STDIN_FILENO);
  surroundings.now = SystemClock{}.now();
  surroundings.read_file = [](const std::string& path) { return fq::read_file(path); };
  return surroundings;
}

std::string encode_surroundings(const Surroundings& surroundings) {
  return dump_json(nlohmann::json{{"cwd", surroundings.cwd},
                                  {"environment", surroundings.environment},
                                  {"umask", surroundings.umask},
                                  {"rlimits", surroundings.rlimits}});
}

void come_from(Surroundings& surroundings, std::string_view encoded) {
  const nlohmann::json document = parse_json(encoded, "surroundings");
  const JsonAt at{document, "surroundings"};
  surroundings.cwd = at.at("cwd").as_string();
  surroundings.environment.clear();
  for (const auto& [name, value] : at.at("environment").object().value().items())
    surroundings.environment.emplace(name, at.at("environment").at(name).as_string());
  surroundings.left_out.clear();
  constexpr std::int64_t kMostUmask = 0777;
  surroundings.umask = static_cast<unsigned>(at.at("umask").as_integer(0, kMostUmask));
  surroundings.rlimits.clear();
  for (const auto& [name, value] : at.at("rlimits").object().value().items())
    surroundings.rlimits.emplace(name, at.at("rlimits").at(name).as_integer(-1, INT64_MAX));
  surroundings.elsewhere = true;
}

}  // namespace fq::cli
