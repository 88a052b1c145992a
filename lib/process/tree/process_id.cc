#include "process/tree/process_id.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace fq::process {
namespace {

// The arguments and environment that an exec may pass are bounded by the kernel (a quarter of the stack
// limit, at most 6 MiB as a rule); more is not read.
constexpr std::size_t kMaxList = 16U << 20;

/// `pid (command) S parent group session …`; the command may hold spaces and parentheses.
std::optional<ProcessStat> parse_stat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close + 2 >= text.size()) {
    return std::nullopt;
  }
  ProcessStat stat;
  const auto pid = parse_u64(trim(text.substr(0, open)));
  const std::vector<std::string_view> fields = split(trim(text.substr(close + 2)), ' ');
  // Counted from field 3 on (proc(5)): state, parent, group, session, …; field 20 is the number of
  // threads, field 22 the start time.
  if (!pid || fields.size() < 20) return std::nullopt;
  const auto parent = parse_u64(fields[1]);
  const auto session = parse_u64(fields[3]);
  const auto threads = parse_u64(fields[17]);
  const auto start = parse_u64(fields[19]);
  if (!parent || !session || !threads || !start) return std::nullopt;
  stat.pid = static_cast<pid_t>(*pid);
  stat.state = fields[0].empty() ? '?' : fields[0].front();
  stat.parent = static_cast<pid_t>(*parent);
  stat.session = static_cast<pid_t>(*session);
  stat.threads = static_cast<std::uint32_t>(*threads);
  stat.start_time = *start;
  return stat;
}

}  // namespace

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return std::nullopt;
  char buffer[2048];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  if (n <= 0) return std::nullopt;
  return parse_stat({buffer, static_cast<std::size_t>(n)});
}

std::vector<ProcessStat> read_processes() {
  std::vector<ProcessStat> found;
  for (const std::string& name : names_in("/proc").value_or(std::vector<std::string>{})) {
    const auto pid = parse_u64(name);
    if (!pid) continue;
    if (const auto stat = read_process_stat(static_cast<pid_t>(*pid))) found.push_back(*stat);
  }
  return found;
}

namespace {

// The children that one thread of a process has; none where the kernel does not tell (CONFIG_PROC_CHILDREN).
void add_children(const std::string& thread, std::vector<pid_t>& children) {
  const UniqueFd fd{::open((thread + "/children").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return;
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(fd.get(), buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  for (const std::string_view word : split(trim(text), ' ')) {
    if (const auto pid = parse_u64(word)) children.push_back(static_cast<pid_t>(*pid));
  }
}

// Of the process's threads each has its own.
std::vector<pid_t> children_of(pid_t pid, std::uint32_t threads) {
  std::vector<pid_t> children;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  if (threads <= 1) {
    add_children(fmt::format("{}/{}", tasks, pid), children);
  } else {
    for (const std::string& thread : names_in(tasks).value_or(std::vector<std::string>{})) {
      add_children(fmt::format("{}/{}", tasks, thread), children);
    }
  }
  return children;
}

}  // namespace

std::vector<ProcessStat> descendants_of(pid_t root, const std::function<bool(const ProcessStat&)>& skip) {
  static const bool told = ::access("/proc/thread-self/children", R_OK) == 0;
  std::unordered_multimap<pid_t, ProcessStat> of_parent;
  if (!told) {
    for (const ProcessStat& process : read_processes()) of_parent.emplace(process.parent, process);
  }
  std::vector<ProcessStat> found;
  std::vector<ProcessStat> open;
  const auto visit = [&](const ProcessStat& process) {
    if (skip(process)) return;
    open.push_back(process);
    if (!process.is_dead()) found.push_back(process);
  };
  std::vector<pid_t> children = told ? children_of(root, 2) : std::vector<pid_t>{};
  for (pid_t parent = root;;) {
    for (const pid_t pid : children) {
      const auto process = read_process_stat(pid);
      if (process && process->parent == parent) visit(*process);
    }
    const auto [first, last] = of_parent.equal_range(parent);
    for (auto child = first; child != last; ++child) visit(child->second);
    if (open.empty()) return found;
    parent = open.back().pid;
    if (told) children = children_of(parent, open.back().threads);
    open.pop_back();
  }
}

std::optional<pid_t> pid_one_namespace_in(pid_t pid) {
  constexpr std::string_view kLine = "NSpid:";
  const std::string status = read_file_if_exists(fmt::format("/proc/{}/status", pid)).value_or("");
  for (const std::string_view line : split(status, '\n')) {
    if (!line.starts_with(kLine)) continue;
    const auto pids = split(trim(line.substr(kLine.size())), '\t');
    const auto inside = pids.size() > 1 ? parse_u64(pids[1]) : std::nullopt;
    if (inside) return static_cast<pid_t>(*inside);
  }
  return std::nullopt;
}

bool lives(const ProcessKey& process) {
  const auto stat = read_process_stat(process.pid);
  return stat && stat->start_time == process.start_time && !stat->is_dead();
}

UniqueFd open_process(const ProcessKey& process) {
  UniqueFd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0))};
  if (!pidfd.valid()) return pidfd;
  // The descriptor is fixed now; if the pid's owner is the one meant, so is the descriptor's.
  const auto stat = read_process_stat(process.pid);
  if (!stat || stat->start_time != process.start_time) pidfd.reset();
  return pidfd;
}

bool send_signal(const UniqueFd& pidfd, int signal) {
  if (!pidfd.valid()) return false;
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0 || errno == EPERM;
}

namespace {

// The bytes of /proc/PID/NAME; empty when it cannot be read.
std::string read_list(pid_t pid, const char* name) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", static_cast<int>(pid), name);
  const UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return {};
  std::string text;
  char buffer[16384];
  while (text.size() < kMaxList) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

// Each entry behind a NUL.
std::string environment_of(pid_t pid) {
  return std::string(1, '\0') + read_list(pid, "environ");
}

}  // namespace

std::vector<std::string> arguments(pid_t pid) {
  std::vector<std::string> words;
  const std::string text = read_list(pid, "cmdline");
  for (std::size_t at = 0; at < text.size(); at += words.back().size() + 1) {
    words.push_back(text.substr(at, text.find('\0', at) - at));
  }
  return words;
}

std::vector<std::string> environment_entries(pid_t pid, std::string_view prefix) {
  std::vector<std::string> entries;
  const std::string begin = std::string(1, '\0').append(prefix);
  const std::string text = environment_of(pid);
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    ++at;
    entries.push_back(text.substr(at, text.find('\0', at) - at));
  }
  return entries;
}

bool environment_has(pid_t pid, const std::string& prefix) {
  return environment_of(pid).find(std::string(1, '\0') + prefix) != std::string::npos;
}

}  // namespace fq::process
