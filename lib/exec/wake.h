// Waiting commands: how a command sleeps until a job changes. It creates the FIFO wake/<id>.<pid>; who
// commits a change writes a byte to those of the jobs that changed. Order for the waiter: create the Waiter,
// read the state, wait, read again.
//
// Not inotify, where it can be helped: the kernel makes who gives an inotify descriptor up wait for some 15
// ms.

#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "exec/job_files.h"

namespace fq::exec {

/// Its files are removed at its end; those of a process that was killed are removed by who finds them.
class Waiter {
 public:
  /// Waits for changes of the jobs `ids`, or, when that is empty, of any job. With more than kMaxFiles ids it
  /// wakes at any job's change.
  Waiter(const JobFiles& files, std::span<const notation::JobId> ids);
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  static constexpr std::size_t kMaxFiles = 64;

  /// Wakes for writes to this file, and to no other, as well. While there is none it wakes when something is
  /// created in its directory: then call it again, and look at the file only after that. Returns whether the
  /// file is there. A missing directory is fine: there is nothing to see then.
  bool watch_file(const std::string& path);
  /// Wakes when `fd` can be read, too; -1: no longer. Not owned.
  void watch_input(int fd) { input_fd_ = fd; }

  /// Whether the last wait found `fd` readable.
  [[nodiscard]] bool input_ready() const { return input_ready_; }
  /// Whether the jobs may have changed; false when the last wait ended for the file or the input alone.
  [[nodiscard]] bool jobs_may_have_changed() const { return jobs_may_have_changed_; }

  /// Sleeps until the state is worth reading again: a job was changed since the last call, a signal came, or
  /// 5 s have passed (1 s where a file cannot be watched). The end of a shell counts too where no waker is
  /// there to post it. Returns false when `timeout_s` (infinity: none) passed without that.
  [[nodiscard]] bool wait(double timeout_s);

 private:
  [[nodiscard]] bool open_inotify();
  void watch_shells();
  /// Takes in what the FIFOs and inotify have to tell; whether it is of jobs.
  bool take_wakes();
  bool take_file_events();

  JobFiles files_;
  std::vector<notation::JobId> ids_;
  std::vector<std::string> paths_;
  std::vector<UniqueFd> fifos_;  ///< of paths_
  UniqueFd inotify_;             ///< opened when something is watched
  bool blind_ = false;           ///< something cannot be watched
  int file_watch_ = -1;
  int input_fd_ = -1;
  bool input_ready_ = false;
  bool jobs_may_have_changed_ = true;
  std::map<int, std::size_t> shells_;  ///< watch descriptor of an alive file → index in ids_
};

/// Wakes the commands that wait for any of these jobs, and clears away what dead ones left. Cheap when nobody
/// waits. Never fails.
void touch_waiters(const JobFiles& files, std::span<const notation::JobId> ids);

}  // namespace fq::exec
