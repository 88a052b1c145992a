#include "meeting/wake.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <unordered_set>
#include <utility>

#include <dirent.h>
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
#include "meeting/waker.h"

namespace fq::meeting {

using notation::JobId;

namespace {

constexpr std::string_view kAny = "all";
constexpr double kPoll = 5.0;
constexpr double kBlindWatchPoll = 1.0;

std::string wake_path(const JobFiles& files, std::string_view job) {
  return fmt::format("{}/{}.{}", files.wake_dir(), job, ::getpid());
}

constexpr std::string_view kNew = "new";

constexpr std::string_view kAnyGuest = "guest-all";

std::string guest_name(JobId id) {
  return "guest-" + notation::to_dothex(id);
}

std::string guest_name_of_user(std::uint32_t userid) {
  return fmt::format("guest-user-{}", userid);
}

// It has its name once it is read from: one that is not was left by a process that is gone.
UniqueFd make_fifo(const std::string& path, const std::string& new_path) {
  ::unlink(new_path.c_str());  // of a process that had the same pid
  if (::mkfifo(new_path.c_str(), 0600) != 0) throw system_error("cannot make " + quote(path), errno);
  // Open for writing too, so that it never ends.
  UniqueFd fifo = open_file(new_path, O_RDWR | O_NONBLOCK);
  if (::rename(new_path.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(new_path.c_str());
    throw system_error("cannot make " + quote(path), reason);
  }
  return fifo;
}

bool take_bytes(const UniqueFd& fifo) {
  bool any = false;
  char bytes[4096];
  while (fifo.valid() && ::read(fifo.get(), bytes, sizeof bytes) > 0) any = true;
  return any;
}

// An entry of wake/.
struct WakeFile {
  int directory;
  const char* name;
  std::string_view of;  // what is waited for
  pid_t pid;            // who waits
};

void touch(const WakeFile& file) {
  const UniqueFd reader{::openat(file.directory, file.name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
  if (!reader.valid()) {
    // Whatever has its pid now: another process, or what is left of it until its parent looks.
    if (errno == ENXIO) ::unlinkat(file.directory, file.name, 0);
    return;
  }
  // Open for reading too: a waiter that goes at this moment is no broken pipe.
  const UniqueFd fifo{::openat(file.directory, file.name, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
  // One that is full has been told often enough.
  if (fifo.valid()) static_cast<void>(::write(fifo.get(), "", 1));
}

template <typename Visit>
void for_each_wake_file(const JobFiles& files, Visit visit) {
  DIR* directory = ::opendir(files.wake_dir().c_str());
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) continue;
    const auto pid = parse_u64(name.substr(dot + 1));
    if (!pid || *pid == 0 || *pid > INT32_MAX) continue;
    visit(WakeFile{::dirfd(directory), entry->d_name, name.substr(0, dot), static_cast<pid_t>(*pid)});
  }
  ::closedir(directory);
}

// The same, of those who still wait: what a dead one left is removed, also where its job never changes again.
template <typename Visit>
void for_each_waiting(const JobFiles& files, Visit visit) {
  for_each_wake_file(files, [&](const WakeFile& file) {
    if (::kill(file.pid, 0) != 0 && errno == ESRCH) {
      ::unlinkat(file.directory, file.name, 0);
    } else {
      visit(file);
    }
  });
}

}  // namespace

Waiter::Waiter(const JobFiles& files, std::span<const JobId> ids)
    : files_(files), ids_(ids.begin(), ids.end()) {
  if (ids_.empty() || ids_.size() > kMaxFiles) {
    fifos_.push_back(fifo(wake_path(files_, kAny)));
  } else {
    for (const JobId id : ids_) fifos_.push_back(fifo(wake_path(files_, notation::to_dothex(id))));
  }
  if (ids_.size() > kMaxFiles) ids_.clear();
}

Waiter::~Waiter() {
  for (const std::string& path : paths_) ::unlink(path.c_str());
}

UniqueFd Waiter::fifo(const std::string& path) {
  paths_.push_back(path);
  try {
    make_directory(files_.wake_dir());
    return make_fifo(path, wake_path(files_, kNew));
  } catch (const Error&) {
    blind_ = true;
    return {};
  }
}

void Waiter::watch_guest(std::optional<std::uint32_t> of_user) {
  if (std::exchange(watches_guest_, true)) return;
  std::string name{kAnyGuest};
  if (of_user) {
    name = guest_name_of_user(*of_user);
  } else if (ids_.size() == 1) {
    name = guest_name(ids_.front());
  }
  guest_fifo_ = fifo(wake_path(files_, name));
}

void Waiter::watch_shells() {
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const auto watched = [i](const auto& entry) { return entry.second == i; };
    if (std::any_of(shells_.begin(), shells_.end(), watched)) continue;
    const std::string alive = files_.alive(ids_[i]);
    if (!exists(alive)) continue;
    if (!inotify_.valid()) inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!inotify_.valid()) {
      blind_ = true;
      return;
    }
    const int watch = ::inotify_add_watch(inotify_.get(), alive.c_str(), IN_CLOSE_WRITE | IN_DELETE_SELF);
    if (watch >= 0) shells_[watch] = i;
  }
}

bool Waiter::wait(double timeout_s) {
  input_ready_ = false;
  jobs_may_have_changed_ = true;
  if (!waker_alive(files_.store())) watch_shells();
  const double poll_s = blind_ ? kBlindWatchPoll : kPoll;
  const double wait_s = std::max(std::min(timeout_s, poll_s), 0.0);
  std::vector<pollfd> fds{{inotify_.get(), POLLIN, 0}, {guest_fifo_.get(), POLLIN, 0}};
  const std::size_t first_input = fds.size();
  fds.insert(fds.end(), inputs_.begin(), inputs_.end());
  const std::size_t last_input = fds.size();
  for (const UniqueFd& fifo : fifos_) fds.push_back({fifo.get(), POLLIN, 0});
  const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(wait_s * 1000)));
  if (ready == 0) return timeout_s > poll_s;
  if (ready < 0) return true;
  for (std::size_t i = first_input; i < last_input; ++i) input_ready_ |= fds[i].revents != 0;
  take_bytes(guest_fifo_);
  const bool woken = take_wakes();
  jobs_may_have_changed_ = take_ends() || woken || blind_;
  return true;
}

void Waiter::add_descriptors(std::vector<pollfd>& to) const {
  for (const UniqueFd* fd : {&inotify_, &guest_fifo_}) {
    if (fd->valid()) to.push_back({fd->get(), POLLIN, 0});
  }
  for (const UniqueFd& fifo : fifos_) {
    if (fifo.valid()) to.push_back({fifo.get(), POLLIN, 0});
  }
}

bool Waiter::take_wakes() {
  bool woken = false;
  for (const UniqueFd& fifo : fifos_) woken = take_bytes(fifo) || woken;
  return woken;
}

bool Waiter::take_ends() {
  bool shells = false;
  alignas(inotify_event) char events[16384];
  ssize_t n;
  while (inotify_.valid() && (n = ::read(inotify_.get(), events, sizeof events)) > 0) {
    for (char* at = events; at < events + n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      if (shells_.contains(event->wd)) shells = true;
      if ((event->mask & IN_IGNORED) != 0) shells_.erase(event->wd);
      at += sizeof(inotify_event) + event->len;
    }
  }
  return shells;
}

void touch_waiters(const JobFiles& files, std::span<const JobId> ids) {
  std::unordered_set<std::string> names;
  for_each_waiting(files, [&](const WakeFile& file) {
    if (ids.empty()) return;
    if (names.empty()) {
      names.emplace(kAny);
      for (const JobId id : ids) names.insert(notation::to_dothex(id));
    }
    if (names.contains(std::string{file.of})) touch(file);
  });
}

void touch_all_waiters(const JobFiles& files) {
  for_each_waiting(files, touch);
}

void touch_followers(const JobFiles& files, JobId id, std::uint32_t userid) {
  const std::string name = guest_name(id), name_of_user = guest_name_of_user(userid);
  for_each_wake_file(files, [&](const WakeFile& file) {
    if (file.of == name || file.of == name_of_user || file.of == kAnyGuest) touch(file);
  });
}

}  // namespace fq::meeting
