// Waiting commands: how a command sleeps until a job changes. It creates the FIFO wake/<id>.<pid>; who
// commits a change writes a byte to those of the jobs that changed. Order for the waiter: create the Waiter,
// read the state, wait, read again.
//
// Who follows a running job's output has a second FIFO, wake/guest-<id>.<pid>, to which the job's shell
// writes; who follows many jobs has wake/guest-all.<pid>, or those of one user wake/guest-user-<uid>.<pid>.
//
// A FIFO is made as wake/new.<pid> and gets its name when it is open: one of another name that nobody reads
// was left by a process that is gone.
//
// Where a FIFO cannot be made (a full disk) the waiter looks every second instead.
//
// Not inotify, where it can be helped: the kernel makes who gives an inotify descriptor up wait for some 15
// ms.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>

#include "base/unique_fd.h"
#include "meeting/job_files.h"

namespace fq::meeting {

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

  /// Wakes when the shell of the job, if it waits for one, or any shell has written to guest files, too; with
  /// `of_user` when one of any job of that user has, and of no other.
  void watch_guest(std::optional<std::uint32_t> of_user = {});
  /// Wakes when `fd` can be read, too; -1: no longer. Not owned.
  void watch_input(int fd) { watch_inputs({{fd, POLLIN, 0}}); }
  /// The same for several descriptors, and what is waited for of each.
  void watch_inputs(std::vector<pollfd> inputs) { inputs_ = std::move(inputs); }

  /// How many files it has made.
  [[nodiscard]] std::size_t files() const { return paths_.size(); }

  /// Adds what it polls itself, as of the last wait, for who waits for others, too: when one can be read, it
  /// has something to take in, and wait(0) does so.
  void add_descriptors(std::vector<pollfd>& to) const;

  /// Whether the last wait found one of them ready.
  [[nodiscard]] bool input_ready() const { return input_ready_; }
  /// Whether the jobs may have changed; false when the last wait ended for guest files or the input alone.
  [[nodiscard]] bool jobs_may_have_changed() const { return jobs_may_have_changed_; }

  /// Sleeps until the state is worth reading again: a job was changed since the last call, a signal came, or
  /// 5 s have passed (1 s where a file cannot be watched). The end of a shell counts too where no waker is
  /// there to post it. Returns false when `timeout_s` (infinity: none) passed without that.
  [[nodiscard]] bool wait(double timeout_s);

 private:
  /// A new FIFO; none where it cannot be made.
  UniqueFd fifo(const std::string& path);
  void watch_shells();
  /// Takes in what the FIFOs and inotify have to tell; whether it is of jobs.
  bool take_wakes();
  bool take_ends();

  JobFiles files_;
  std::vector<notation::JobId> ids_;
  std::vector<std::string> paths_;  ///< of all FIFOs
  std::vector<UniqueFd> fifos_;
  UniqueFd guest_fifo_;
  bool watches_guest_ = false;
  UniqueFd inotify_;    ///< opened when a shell is watched
  bool blind_ = false;  ///< something cannot be watched
  std::vector<pollfd> inputs_;
  bool input_ready_ = false;
  bool jobs_may_have_changed_ = true;
  std::map<int, std::size_t> shells_;  ///< watch descriptor of an alive file → index in ids_
};

/// Wakes the commands that wait for any of these jobs, and clears away what dead ones left. Cheap when nobody
/// waits. Never fails.
void touch_waiters(const JobFiles& files, std::span<const notation::JobId> ids);
/// The same for all who wait, whatever for.
void touch_all_waiters(const JobFiles& files);

/// For a job's shell: wakes the commands that follow the guest files of the job, which is this user's. The
/// same holds.
void touch_followers(const JobFiles& files, notation::JobId id, std::uint32_t userid);

}  // namespace fq::meeting
