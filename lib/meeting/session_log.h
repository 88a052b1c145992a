// For the shell of an attempt without a control group: keeps guest/<id>/sessions, the sessions that the
// shell's descendants are in, by which they are found where the shell is killed and they show neither their
// parents nor their environment any more. The kernel tells nobody of a new session, so it is looked for: soon
// after the tasks began, ever less often while nothing happens, and so that it takes a hundredth of the time
// at the most. What made its session after the last look before the shell was killed, and hides from all
// else, is not found.

#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "meeting/job_files.h"
#include "meeting/task_record.h"
#include "process/tree/process_id.h"

namespace fq::meeting {

class SessionLog {
 public:
  SessionLog(const JobFiles& files, notation::JobId id, std::uint32_t attempt, std::string boot_id,
             const Clock& clock);

  /// The boot time of the next look.
  [[nodiscard]] double next() const { return next_; }
  /// Something happened in the job: a new session is more likely than it was.
  void expect();
  /// Looks, and writes down what has changed. What cannot be written is tried again by the next look.
  void look();

 private:
  std::string path_;
  std::uint32_t attempt_;
  std::string boot_id_;
  const Clock& clock_;
  std::map<pid_t, std::uint64_t> written_;  ///< start time by session id
  double last_ = 0;                         ///< boot time of the last look
  double least_pause_ = 0;                  ///< seconds between looks, by what they cost
  double pause_;
  double next_;
};

/// guest/<id>/sessions.
[[nodiscard]] std::string sessions_path(const JobFiles& files, notation::JobId id);

/// The record of the session of this process, which leads it or has lost its leader.
[[nodiscard]] SessionRecord own_session(std::uint32_t attempt, const std::string& boot_id);

/// Whether `process`, of `all`, is in the very session that was recorded, and not in one that got its id
/// later.
[[nodiscard]] bool is_in_session(const process::ProcessStat& process, const SessionRecord& session,
                                 const std::map<pid_t, std::uint64_t>& start_times);

}  // namespace fq::meeting
