// Whole-file locks (flock). A lock belongs to the open file description: it ends when the last descriptor
// that shares it is closed, however its holders end, SIGKILL included.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/unique_fd.h"

namespace fq {

enum class LockMode { shared, exclusive };

class FileLock {
 public:
  /// Takes the lock on `path` (created when missing), or returns nothing when another holds it.
  [[nodiscard]] static std::optional<FileLock> try_acquire(const std::string& path, LockMode mode);

  /// Waits for the lock, at most `timeout_s` seconds (infinity: for ever). Returns nothing at the time-out.
  /// Signals are handled while it waits.
  [[nodiscard]] static std::optional<FileLock> acquire(const std::string& path, LockMode mode,
                                                       double timeout_s);

  /// The locked descriptor (close-on-exec). Passing a copy to a child shares the lock with it.
  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Gives the lock up now, for every process that shares it.
  void unlock();
  /// Gives up this process's share only; the lock lasts as long as another process has the descriptor.
  void close() { fd_.reset(); }

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

/// One of so many places that a file has, each a byte of it: processes that have one each are no more than
/// these. It ends as a FileLock does.
class PlaceLock {
 public:
  /// Takes the first that is free in `path`, created when missing; nothing where none is.
  [[nodiscard]] static std::optional<PlaceLock> try_acquire(const std::string& path, std::uint64_t places);

 private:
  explicit PlaceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

/// True while some process holds the exclusive lock on `path`; false when it is free or the file is missing.
[[nodiscard]] bool is_locked(const std::string& path);

}  // namespace fq
