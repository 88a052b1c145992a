// The writers' lock of a store: flock on STORE/lock. The file names the holder, for those who wait in vain.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/file_lock.h"

namespace fq::store {

class StoreLock {
 public:
  /// Waits at most `timeout_s` seconds (infinity: for ever). Throws Error{timeout} that names the holder's
  /// pid and command, and says when it is stopped. `waiting` is called once with the same words where that
  /// takes more than kSoon_s seconds; it must not block.
  [[nodiscard]] static StoreLock acquire(const std::string& store_directory, double timeout_s,
                                         std::string_view command,
                                         const std::function<void(const std::string& holder)>& waiting = {});
  static constexpr double kSoon_s = 2;

  /// What others are told of this holder from now on, in place of the command.
  void describe(std::string_view command);

 private:
  explicit StoreLock(FileLock lock) : lock_(std::move(lock)) {}
  FileLock lock_;
};

/// `STORE/lock`, `STORE/db`.
[[nodiscard]] std::string lock_path(const std::string& store_directory);
[[nodiscard]] std::string database_path(const std::string& store_directory);

/// `pid 4711 (fq-submit)`, with `, which is stopped` where it is; empty when nobody is recorded.
[[nodiscard]] std::string lock_holder(const std::string& store_directory);

}  // namespace fq::store
