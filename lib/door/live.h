// What a command has of jobs that run, while they do: it sleeps until something changes, reads their guest
// files as they grow, and writes to their standard input.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <poll.h>

namespace fq::door {

/// How a command sleeps until jobs change (meeting/wake.h). Order: make the Waiter, ask, wait, ask again.
class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  virtual ~Waiter() = default;

  /// With more ids it wakes at any job's change.
  static constexpr std::size_t kMostNamed = 64;

  /// Wakes when a shell has written to guest files, too.
  virtual void watch_guest() = 0;
  /// Wakes when `fd` can be read, too; -1: no longer. Not owned.
  void watch_input(int fd) { watch_inputs({{fd, POLLIN, 0}}); }
  /// The same for several descriptors, and what is waited for of each.
  virtual void watch_inputs(std::vector<pollfd> inputs) = 0;

  /// Whether the last wait found one of them ready.
  [[nodiscard]] virtual bool input_ready() const = 0;
  /// Whether the jobs may have changed; false when the last wait ended for guest files or the input alone.
  [[nodiscard]] virtual bool jobs_may_have_changed() const = 0;

  /// Sleeps until the state is worth reading again: a job was changed since the last call, a signal came, or
  /// some seconds have passed. Returns false when `timeout_s` (infinity: none) passed without that.
  [[nodiscard]] virtual bool wait(double timeout_s) = 0;
};

/// A guest file of a running job as it grows. Once open it can be read to its end, wherever the job's end
/// moves it.
class GuestFile {
 public:
  GuestFile() = default;
  GuestFile(const GuestFile&) = delete;
  GuestFile& operator=(const GuestFile&) = delete;
  virtual ~GuestFile() = default;

  [[nodiscard]] virtual bool is_open() const = 0;
  /// Opens it unless it is open; missing is fine.
  virtual void try_open() = 0;
  /// What has been written since the last call; nothing where it is not open. Valid until the next call.
  /// Throws Error.
  [[nodiscard]] virtual std::string_view read_more() = 0;
};

/// The writing end of a job's standard input (RFC 24).
class JobInput {
 public:
  JobInput() = default;
  JobInput(const JobInput&) = delete;
  JobInput& operator=(const JobInput&) = delete;
  virtual ~JobInput() = default;

  /// Appends bytes; nothing for an ended job.
  virtual void write(std::string_view bytes) = 0;
  /// Appends the end of the stream.
  virtual void close() = 0;
};

}  // namespace fq::door
