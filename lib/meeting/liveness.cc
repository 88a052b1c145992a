#include "meeting/liveness.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "process/tree/process_id.h"

namespace fq::meeting {
namespace {

// A probe holds the shared lock for a moment; longer than this only a shell does.
constexpr double kProbeTime = 0.25;
constexpr char kFailureMark = '!';

bool is_open_on(int fd, const std::string& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

}  // namespace

FileLock take_alive(const JobFiles& files, notation::JobId id) {
  make_directory(files.alive_dir());
  const std::string path = files.alive(id);
  for (;;) {
    auto lock = FileLock::acquire(path, LockMode::exclusive, kProbeTime);
    if (!lock) throw error(Kind::refused, "job {} already has a shell", notation::to_f58(id));
    // The shell that held it before may have unlinked it meanwhile.
    if (!is_open_on(lock->fd(), path)) continue;
    if (::ftruncate(lock->fd(), 0) != 0) throw system_error("cannot write " + quote(path), errno);
    return std::move(*lock);
  }
}

UniqueFd inherit_alive(const JobFiles& files, notation::JobId id) {
  if (!is_open_on(kAliveFd, files.alive(id))) {
    throw error(Kind::internal, "descriptor {} is not open on {}: a shell is started by fq alone", kAliveFd,
                quote(files.alive(id)));
  }
  if (::fcntl(kAliveFd, F_SETFD, FD_CLOEXEC) != 0) throw system_error("cannot keep the alive lock", errno);
  if (const auto self = process::read_process_stat(::getpid())) {
    const std::string text = fmt::format("{} {}\n", self->pid, self->start_time);
    // Without it the shell cannot be continued, and is as good otherwise.
    [[maybe_unused]] const ssize_t ignored = ::pwrite(kAliveFd, text.data(), text.size(), 0);
  }
  return UniqueFd{kAliveFd};
}

void await_no_shell(const JobFiles& files, double timeout_s) {
  constexpr double kBlindLook_s = 1;  // where the directory cannot be watched
  const UniqueFd inotify{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  // A shell that ends in order removes its file; one that is killed closes it.
  const bool sees = inotify.valid() && ::inotify_add_watch(inotify.get(), files.alive_dir().c_str(),
                                                           IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR) >= 0;
  const SystemClock clock;
  const double until = clock.boot_time() + timeout_s;
  for (;;) {
    const std::vector<notation::JobId> ids = files.alive_ids();
    const double left = until - clock.boot_time();
    if (left <= 0 ||
        std::none_of(ids.begin(), ids.end(), [&](notation::JobId id) { return shell_alive(files, id); }))
      return;
    pollfd watched{inotify.get(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(std::ceil(1000 * (sees ? left : std::min(left, kBlindLook_s)))));
    char events[4096];
    while (inotify.valid() && ::read(inotify.get(), events, sizeof events) > 0) {
    }
  }
}

std::optional<process::ProcessKey> shell_process(const JobFiles& files, notation::JobId id) {
  const std::string text = read_file_if_exists(files.alive(id)).value_or("");
  const auto parts = split(trim(text), ' ');
  if (parts.size() != 2 || !text.ends_with('\n')) return std::nullopt;
  const auto pid = parse_u64(parts[0]);
  const auto start_time = parse_u64(parts[1]);
  if (!pid || !start_time) return std::nullopt;
  return process::ProcessKey{static_cast<pid_t>(*pid), *start_time};
}

void continue_shell(const JobFiles& files, notation::JobId id) noexcept {
  try {
    const auto shell = shell_process(files, id);
    if (!shell) return;
    const auto stat = process::read_process_stat(shell->pid);
    if (stat && stat->state == 'T') process::send_signal(process::open_process(*shell), SIGCONT);
  } catch (const std::exception&) {
    return;
  }
}

bool shell_alive(const JobFiles& files, notation::JobId id) {
  return is_locked(files.alive(id));
}

void note_not_begun(const FileLock& alive) noexcept {
  // Where it cannot be noted the shell counts as one that died.
  [[maybe_unused]] const int ignored = ::ftruncate(alive.fd(), 1);
}

bool has_not_begun(const JobFiles& files, notation::JobId id) {
  struct stat info {};
  return ::stat(files.alive(id).c_str(), &info) == 0 && info.st_size == 1;
}

void note_start_failure(const FileLock& alive, std::string_view why) noexcept {
  try {
    const std::string text = fmt::format("{}{}", kFailureMark, why);
    // Where it cannot be noted the shell counts as one that died.
    [[maybe_unused]] const ssize_t ignored = ::pwrite(alive.fd(), text.data(), text.size(), 0);
  } catch (const std::exception&) {
    return;
  }
}

std::optional<std::string> start_failure(const JobFiles& files, notation::JobId id) {
  const std::string text = read_file_if_exists(files.alive(id)).value_or("");
  if (!text.starts_with(kFailureMark)) return std::nullopt;
  return text.substr(1);
}

void remove_alive(const JobFiles& files, notation::JobId id) {
  const std::string path = files.alive(id);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw system_error("cannot remove " + quote(path), errno);
}

std::vector<notation::JobId> lost_shells(const JobFiles& files) {
  std::vector<notation::JobId> lost;
  for (const notation::JobId id : files.alive_ids()) {
    if (!shell_alive(files, id)) lost.push_back(id);
  }
  return lost;
}

}  // namespace fq::meeting
