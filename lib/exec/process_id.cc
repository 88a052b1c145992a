#include "exec/process_id.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace fq::exec {
namespace {

// The environment that an exec may pass is bounded by the kernel (a quarter of the stack limit, at most 6 MiB
// as a rule); more is not read.
constexpr std::size_t kMaxEnvironment = 16U << 20;

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
  // Counted from field 3 on (proc(5)): state, parent, group, session, …, field 22 is the start time.
  if (!pid || fields.size() < 20) return std::nullopt;
  const auto parent = parse_u64(fields[1]);
  const auto session = parse_u64(fields[3]);
  const auto start = parse_u64(fields[19]);
  if (!parent || !session || !start) return std::nullopt;
  stat.pid = static_cast<pid_t>(*pid);
  stat.state = fields[0].empty() ? '?' : fields[0].front();
  stat.parent = static_cast<pid_t>(*parent);
  stat.session = static_cast<pid_t>(*session);
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

UniqueFd open_process(pid_t pid, std::uint64_t start_time) {
  UniqueFd pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (!pidfd.valid()) return pidfd;
  // The descriptor is fixed now; if the pid's owner is the one meant, so is the descriptor's.
  const auto stat = read_process_stat(pid);
  if (!stat || stat->start_time != start_time) pidfd.reset();
  return pidfd;
}

bool send_signal(const UniqueFd& pidfd, int signal) {
  return pidfd.valid() && ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0) == 0;
}

bool environment_has(pid_t pid, const std::string& prefix) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/environ", static_cast<int>(pid));
  const UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
  if (!fd.valid()) return false;
  std::string text(1, '\0');
  char buffer[16384];
  while (text.size() < kMaxEnvironment) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text.find(std::string(1, '\0') + prefix) != std::string::npos;
}

}  // namespace fq::exec
