#include "process/tree/cgroup.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::process {
namespace {

constexpr std::string_view kPrefix = "fq-";

/// Whether `directory` is a control group that make_job_cgroup may have made.
bool is_job_cgroup(const std::string& directory) {
  struct statfs info {};
  return std::filesystem::path(directory).filename().string().starts_with(kPrefix) &&
         ::statfs(directory.c_str(), &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC;
}

/// The group and those below it, the deepest first.
std::vector<std::string> with_children(const std::string& directory) {
  std::vector<std::string> groups;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
    if (!entry.is_directory(failure) || entry.is_symlink(failure)) continue;
    const std::vector<std::string> below = with_children(entry.path().string());
    groups.insert(groups.end(), below.begin(), below.end());
  }
  groups.push_back(directory);
  return groups;
}

}  // namespace

std::string own_cgroup() {
  const std::string text = read_file_if_exists("/proc/self/cgroup").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("0::")) return std::string{line.substr(3)};
  }
  return {};
}

std::optional<std::string> cgroup_directory(const std::string& cgroup) {
  const std::string mounts = read_file_if_exists("/proc/self/mounts").value_or("");
  for (const std::string_view line : split(mounts, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() > 2 && words[2] == "cgroup2")
      return std::string{words[1]} + (cgroup == "/" ? "" : cgroup);
  }
  return std::nullopt;
}

bool join_cgroup(const std::string& directory) {
  const UniqueFd fd{::open((directory + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
  return fd.valid() && ::write(fd.get(), "0", 1) == 1;
}

pid_t fork_into_cgroup(const std::string& directory) {
  if (!directory.empty()) {
    const UniqueFd group{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<std::uint64_t>(group.get());
    errno = 0;
    const long pid = group.valid() ? ::syscall(SYS_clone3, &arguments, sizeof arguments) : -1;
    if (pid >= 0 || errno == EAGAIN || errno == ENOMEM) return static_cast<pid_t>(pid);
  }
  const pid_t pid = ::fork();
  if (pid == 0 && !directory.empty()) join_cgroup(directory);
  return pid;
}

std::optional<std::string> make_job_cgroup(notation::JobId id, std::uint32_t attempt,
                                           const RecordPath& record) {
  const std::string own = own_cgroup();
  const auto parent = own.empty() ? std::nullopt : cgroup_directory(own);
  // A process may leave its group only where it may write that, too.
  if (!parent || ::access((*parent + "/cgroup.procs").c_str(), W_OK) != 0) return std::nullopt;
  std::string directory = make_recorded_directory(
      fmt::format("{}/{}{}.{}.", *parent, kPrefix, notation::to_dothex(id), attempt), record);
  if (directory.empty()) return std::nullopt;
  return directory;
}

std::vector<pid_t> job_cgroup_members(const std::string& directory) {
  std::vector<pid_t> members;
  if (!is_job_cgroup(directory)) return members;
  for (const std::string& group : with_children(directory)) {
    std::string text;
    try {
      text = read_file_if_exists(group + "/cgroup.procs").value_or("");
    } catch (const Error&) {
      continue;  // removed meanwhile, or a threaded group, whose processes its parent names
    }
    for (const std::string_view line : split(text, '\n')) {
      if (const auto pid = parse_u64(line)) members.push_back(static_cast<pid_t>(*pid));
    }
  }
  return members;
}

void remove_job_cgroup(const std::string& directory) {
  if (!is_job_cgroup(directory)) return;
  for (const std::string& group : with_children(directory)) ::rmdir(group.c_str());
}

}  // namespace fq::process
