// Root's record of a job that runs, by which it is signalled: nothing that the store says counts for that.

#pragma once

#include <cstdint>
#include <string>

#include "fd.h"

namespace fq::imp {

/// A process, and when it began: a number that comes again is another process.
struct Process {
  pid_t pid = 0;
  std::uint64_t start = 0;  ///< ticks since the machine started

  [[nodiscard]] static Process self();
  /// A pidfd; none where it is gone.
  [[nodiscard]] Fd open() const;
};

/// Whether the process of a pidfd, and where it is the first of a namespace all others there, has ended
/// within the time.
[[nodiscard]] bool has_ended(const Fd& pidfd, int milliseconds);

class Record {
 public:
  /// Of the job of the store of that name and number (0: of one that has told none); locked.
  Record(const std::string& store, std::uint64_t number, std::uint64_t id);

  /// The one whose end is the job's: the first process of its namespace or, before there is one, fq-imp
  /// itself.
  [[nodiscard]] Process running() const { return has_namespace() ? content_.first : content_.imp; }
  /// Its pidfd; none where nothing runs.
  [[nodiscard]] Fd open_running() const { return running().open(); }
  [[nodiscard]] bool has_namespace() const { return content_.first.pid != 0; }
  [[nodiscard]] std::uint32_t attempt() const { return content_.attempt; }
  [[nodiscard]] uid_t user() const { return content_.user; }
  [[nodiscard]] gid_t group() const { return content_.group; }
  /// Whether fq-imp ever began it: else it is only a note that attempts up to this one must not begin.
  [[nodiscard]] bool began() const { return content_.imp.pid != 0; }

  /// Writes that this process runs the attempt, and lets go of the lock.
  void begin(std::uint32_t attempt, uid_t user, gid_t group);
  /// Writes the first process of the job's namespace, and its control group. REQUIRES begin. Throws Failed
  /// where the job was ended meanwhile.
  void set_first(pid_t pid, const std::string& cgroup);
  /// Writes that no attempt up to this one begins any more.
  void close(std::uint32_t attempt);
  /// Removes the control group, if it is empty; and the record with it.
  void remove_cgroup();
  void remove();

 private:
  struct Content {
    std::uint64_t magic = 0;  ///< of this form
    std::uint32_t attempt = 0;
    std::uint32_t user = 0;
    std::uint32_t group = 0;
    Process imp;
    Process first;
    char boot[40] = {};
    char cgroup[512] = {};
  };

  void read();
  void write();

  std::string name_;
  Fd directory_;
  Fd file_;
  Content content_;
};

}  // namespace fq::imp
