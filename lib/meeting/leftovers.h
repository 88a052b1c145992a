// What a dead shell left behind: processes, and the places of its attempts. Processes are found by the
// recorded pids, by the recorded sessions (task_record.h), by the attempt's control group where it has one,
// and by the attempt's mark in the environment.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "meeting/job_files.h"
#include "process/tree/process_id.h"

namespace fq::meeting {

/// The processes that there are, as two looks in a row see them, each taken when it is asked for: all jobs
/// that had no shell before the first one can be tested against the same.
class ProcessLooks {
 public:
  static constexpr std::size_t kLooks = 2;

  [[nodiscard]] const std::vector<process::ProcessStat>& all(std::size_t look);
  /// Whether the environment of one of them has the mark of an attempt (environment.h) that begins so.
  [[nodiscard]] bool has_mark(std::size_t look, pid_t pid, const std::string& begin);

 private:
  struct Look {
    std::vector<process::ProcessStat> processes;
    std::unordered_map<pid_t, std::vector<std::string>> marks;
  };
  const Look& look_at(std::size_t look);

  std::array<std::optional<Look>, kLooks> looks_;
};

/// Sends SIGKILL to all that lives of attempts up to `attempt`, and waits for nobody. Returns those that were
/// found; none when two looks in a row found none. Of a job that runs as its user fq-imp says what is left.
/// REQUIRES that no shell of the job is alive.
[[nodiscard]] std::vector<process::ProcessKey> kill_leftovers(const JobFiles& files, notation::JobId id,
                                                              std::uint32_t attempt, ProcessLooks& looks);
[[nodiscard]] inline std::vector<process::ProcessKey> kill_leftovers(const JobFiles& files,
                                                                     notation::JobId id,
                                                                     std::uint32_t attempt) {
  ProcessLooks looks;
  return kill_leftovers(files, id, attempt, looks);
}

struct AttemptOf {
  notation::JobId id;
  std::uint32_t attempt = 0;
};

/// For files that are a copy, so that the job's mark is not theirs: whether anything lives that they record
/// of these jobs' attempts up to the named ones, or a shell of a job of that id whose store `is_original`.
[[nodiscard]] bool any_alive(const JobFiles& files, const std::vector<AttemptOf>& jobs,
                             const std::function<bool(const std::string& store)>& is_original);

/// Waits until they have ended, at most `timeout_s` seconds. Whether they have.
bool await_end(const std::vector<process::ProcessKey>& processes, double timeout_s);

/// Removes the temporary directories and control groups of all attempts of the job.
void remove_places(const JobFiles& files, notation::JobId id);

/// Keeps the record of the job's processes, and forgets that of its directories: they are another's.
void forget_places(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
