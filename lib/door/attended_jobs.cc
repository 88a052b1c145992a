#include "door/attended_jobs.h"

#include <cmath>
#include <limits>

#include <poll.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "door/routes.h"
#include "door/stores.h"
#include "manager/core/caller_names.h"
#include "manager/core/permission.h"
#include "manager/look/query.h"

namespace fq::door {
namespace {

notation::JobId job_at(const LiveWords& words, std::size_t index) {
  return notation::JobId{number_at(words, index)};
}

notation::Idset ids_at(const LiveWords& words, std::size_t index) {
  const std::string& word = word_at(words, index);
  return word == "-" ? notation::Idset{} : notation::Idset::decode(word);
}

// A guest file by its name, never a path.
std::string name_at(const LiveWords& words, std::size_t index) {
  const std::string& name = word_at(words, index);
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
    throw error(Kind::invalid, "{} is no name of a guest file", quote(name));
  return name;
}

template <typename Map>
auto& find(Map& map, const LiveWords& words) {
  const auto at = map.find(number_at(words, 1));
  if (at == map.end()) throw error(Kind::invalid, "{} is nothing that stands here", quote(words.words[1]));
  return at->second;
}

}  // namespace

std::optional<std::string> AttendedJobs::operate(const LiveWords& words) {
  const std::string& word = words.words.front();
  const Number number = number_at(words, 1);
  if (word == "forget") {
    waiters_.erase(number);
    files_.erase(number);
    inputs_.erase(number);
    return std::nullopt;
  }
  if (files_.size() + inputs_.size() >= kMost)
    throw error(Kind::refused, "more than {} files at once are too many", kMost);
  if (word == "watch") {
    std::vector<notation::JobId> ids;
    for (std::size_t i = 2; i < words.words.size(); ++i) ids.push_back(job_at(words, i));
    watch(number, ids);
    return std::nullopt;
  }
  if (word == "guest") {
    watch_guest(words);
    return std::nullopt;
  }
  if (word == "open") {
    const notation::JobId id = job_at(words, 2);
    require(id);
    meeting::GuestFile& file = files_[number];
    file.try_open(session_of(session_, id).files().guest(id) + "/" + name_at(words, 3));
    return file.is_open() ? "yes" : "no";
  }
  if (word == "read") return std::string{find(files_, words).read_more()};
  if (word == "input") {
    const notation::JobId id = job_at(words, 2);
    manager::require_job_user(session_of(session_, id), id);
    const meeting::JobFiles files = session_of(session_, id).files();
    if (!exists(files.guest(id))) return "no";
    inputs_.insert_or_assign(
        number, meeting::InputWriter(files, id, ids_at(words, 3), ids_at(words, 4), session_.clock->now()));
    return "yes";
  }
  if (word == "write") {
    find(inputs_, words).write(words.bytes, session_.clock->now());
    return "yes";
  }
  if (word == "close") {
    find(inputs_, words).close(session_.clock->now());
    return "yes";
  }
  throw error(Kind::invalid, "there is no operation {}", quote(word));
}

std::string AttendedJobs::wait(const LiveWords& words, int broken_off_by, bool is_broken_off) {
  Waiter& waiter = *find(waiters_, words).waiter;
  double timeout_s = std::numeric_limits<double>::infinity();
  if (word_at(words, 2) != "inf") timeout_s = static_cast<double>(number_at(words, 2));
  waiter.watch_input(broken_off_by);
  if (!waiter.wait(is_broken_off ? 0 : timeout_s)) return is_broken_off ? "broken" : "none";
  if (waiter.jobs_may_have_changed()) return "changed";
  return waiter.input_ready() ? "broken" : "guest";
}

std::optional<meeting::TerminalLink> AttendedJobs::terminal(const LiveWords& words) const {
  const notation::JobId id = job_at(words, 1);
  manager::require_job_user(session_of(session_, id), id);
  return meeting::connect_to_terminal(session_of(session_, id).files(), id);
}

void AttendedJobs::watch(Number number, const std::vector<notation::JobId>& ids) {
  if (ids.size() > Waiter::kMostNamed)
    throw error(Kind::invalid, "{} jobs are too many to name to one wait: at most {}", ids.size(),
                Waiter::kMostNamed);
  waiters_.erase(number);
  const Stores stores(session_);
  Watch watch;
  const auto parts = stores.split(ids);
  for (std::size_t store = 0; store < parts.size(); ++store) {
    if (parts[store].empty()) continue;
    const std::vector<notation::JobId> seen = manager::seen_jobs(stores.session(store), parts[store]);
    watch.ids.insert(watch.ids.end(), seen.begin(), seen.end());
  }
  if (!ids.empty() && watch.ids.empty()) {
    manager::with_names(session_of(session_, ids.front()), [&](const manager::Session& with) {
      manager::require_jobs(with, {ids.front()});  // says what it is instead
    });
  }
  require_wakes(watch.ids.empty() ? stores.size() : watch.ids.size());
  watch.waiter = stores.waiter(watch.ids);
  waiters_.insert_or_assign(number, std::move(watch));
}

void AttendedJobs::watch_guest(const LiveWords& words) {
  const Watch& watch = find(waiters_, words);
  require_wakes(1);
  if (watch.ids.size() == 1) {
    require(watch.ids.front());
    return watch.waiter->watch_guest();
  }
  if (manager::is_operator(session_)) return watch.waiter->watch_guest();
  watch.waiter->watch_guest_of(session_.caller.uid);
}

void AttendedJobs::require_wakes(std::size_t more) const {
  for (const auto& [number, watch] : waiters_) more += watch.waiter->files();
  if (more > kMostWakes)
    throw error(Kind::refused, "more than {} jobs waited for at once are too many", kMostWakes);
}

void AttendedJobs::require(notation::JobId id) const {
  if (allowed_ == id) return;
  manager::require_job_access(session_of(session_, id), id);
  allowed_ = id;
}

void relay(meeting::TerminalLink& terminal, meeting::TerminalLink looker) {
  // What one end does not take is not read from the other.
  constexpr std::size_t kMostQueued = std::size_t{1} << 20;
  const auto pass = [](meeting::TerminalLink& from, meeting::TerminalLink& to) {
    while (to.queued() < kMostQueued) {
      const auto packet = from.receive();
      if (!packet) return false;
      if (packet->empty()) break;
      to.send(packet->front(), packet->substr(1));
    }
    return to.flush();
  };
  const auto events = [](const meeting::TerminalLink& in, const meeting::TerminalLink& out) {
    return static_cast<short>((out.queued() < kMostQueued ? POLLIN : 0) | (in.queued() > 0 ? POLLOUT : 0));
  };
  for (;;) {
    pollfd fds[] = {{terminal.fd(), events(terminal, looker), 0}, {looker.fd(), events(looker, terminal), 0}};
    ::poll(fds, 2, -1);
    const bool from_looker = pass(looker, terminal);
    const bool from_terminal = pass(terminal, looker);
    if (from_looker && from_terminal) continue;
    // The last words reach who is left.
    meeting::TerminalLink& left = from_terminal ? terminal : looker;
    while (left.flush() && left.queued() > 0) {
      pollfd fd{left.fd(), POLLOUT, 0};
      ::poll(&fd, 1, -1);
    }
    return;
  }
}

}  // namespace fq::door
