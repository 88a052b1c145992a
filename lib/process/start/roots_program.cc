#include "process/start/roots_program.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/core.h>
#include <sys/stat.h>

#include "base/text.h"

namespace fq::process {
namespace {

constexpr std::string_view kSystemStore = FQ_SYSTEM_STORE;
constexpr std::string_view kPlace = FQ_SYSCONFDIR "/";

// Of one file or directory, which no link stands for.
std::string why_not_roots_alone(const std::string& path, bool is_program) {
  constexpr uid_t kRoot = 0;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return fmt::format("{}: {}", quote(path), std::strerror(errno));
  if (is_program ? !S_ISREG(info.st_mode) : !S_ISDIR(info.st_mode))
    return fmt::format("{} is no {}", quote(path), is_program ? "file" : "directory");
  if (info.st_uid != kRoot) return fmt::format("{} is not root's", quote(path));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return fmt::format("{} can be written by others than root", quote(path));
  return {};
}

std::string why_not_below_place(const std::string& program) {
  const bool is_plain = program.find("/../") == std::string::npos && program.find("/./") == std::string::npos;
  if (!program.starts_with(kPlace) || !is_plain)
    return fmt::format("programs of the store that users share are root's, in {}",
                       kPlace.substr(0, kPlace.size() - 1));
  for (std::size_t end = 0; end != std::string::npos;) {
    end = program.find('/', end + 1);
    std::string why = why_not_roots_alone(program.substr(0, end), end == std::string::npos);
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace

std::string why_not_roots(const std::string& store, const std::string& program) {
  if (store != kSystemStore) return {};
  const std::string why = why_not_below_place(program);
  return why.empty() ? why : fmt::format("{} may not run for all users: {}", quote(program), why);
}

}  // namespace fq::process
