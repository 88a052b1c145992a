#include "meeting/session_log.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "process/tree/lock_holders.h"

namespace fq::meeting {
namespace {

constexpr double kFirstPause = 0.005;
constexpr double kLongestPause = 5;
constexpr double kCost = 100;  // a look is followed by a pause so many times as long, at the least
// Many sessions take so long to note that a job which makes them without end is not followed further.
constexpr std::size_t kMostSessions = 4096;

}  // namespace

SessionLog::SessionLog(const JobFiles& files, notation::JobId id, std::uint32_t attempt, std::string boot_id,
                       const Clock& clock)
    : path_(sessions_path(files, id)),
      attempt_(attempt),
      boot_id_(std::move(boot_id)),
      clock_(clock),
      last_(clock.boot_time()),
      pause_(kFirstPause),
      next_(last_ + pause_) {}

void SessionLog::expect() {
  pause_ = kFirstPause;
  next_ = std::min(next_, last_ + std::max(pause_, least_pause_));
}

void SessionLog::look() {
  const double began = clock_.boot_time();
  const pid_t own = ::getsid(0);
  std::map<pid_t, std::uint64_t> found;
  for (const process::ProcessStat& process : process::descendants_of(::getpid(), process::serves_others)) {
    if (process.session == own || found.size() >= kMostSessions) continue;
    const auto known = written_.find(process.session);
    const std::uint64_t start = known != written_.end() ? known->second : process.start_time;
    const auto [at, added] = found.try_emplace(process.session, start);
    if (process.pid == process.session) {
      at->second = process.start_time;
    } else if (!added && known == written_.end()) {
      at->second = std::min(at->second, process.start_time);
    }
  }
  if (found != written_) {
    std::string text;
    for (const auto& [id, start] : found) text += encode_record(SessionRecord{attempt_, id, start, boot_id_});
    const std::string temporary = path_ + ".new";
    try {
      write_file(temporary, text);
      if (::rename(temporary.c_str(), path_.c_str()) == 0) written_ = std::move(found);
    } catch (const Error&) {
      // On a full disk what was written before holds.
    }
  }
  last_ = clock_.boot_time();
  least_pause_ = kCost * (last_ - began);
  pause_ = std::min(2 * pause_, kLongestPause);
  next_ = last_ + std::max(pause_, least_pause_);
}

std::string sessions_path(const JobFiles& files, notation::JobId id) {
  return files.guest(id) + "/sessions";
}

SessionRecord own_session(std::uint32_t attempt, const std::string& boot_id) {
  const pid_t id = ::getsid(0);
  // Who made the session of a shell is gone; nobody was in it before the shell.
  auto first = process::read_process_stat(id);
  if (!first) first = process::read_process_stat(::getpid());
  return {attempt, id, first ? first->start_time : 0, boot_id};
}

bool is_in_session(const process::ProcessStat& process, const SessionRecord& session,
                   const std::map<pid_t, std::uint64_t>& start_times) {
  if (process.session != session.id || process.start_time < session.start_time) return false;
  // A session's id is given to no process while one is in it: a leader that is younger leads another session.
  const auto leader = start_times.find(session.id);
  return leader == start_times.end() || leader->second == session.start_time;
}

}  // namespace fq::meeting
