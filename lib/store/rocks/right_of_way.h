// Who is waited for goes first. A short-lived process that moves its logs into tables, or may have to, uses
// all that a small machine has for some milliseconds: merges of other processes stand still meanwhile.

#pragma once

#include <optional>
#include <string>

#include "base/file_lock.h"

namespace fq::store::rocks {

/// While this lives, whoever comes to give_way for the same database waits. It is a lock on the journal, so
/// it ends with its process. Where it cannot be had, all go on at once. Never throws.
class RightOfWay {
 public:
  explicit RightOfWay(const std::string& database) noexcept;

 private:
  std::optional<FileLock> lock_;
};

/// Waits while another process has the right of way. Never throws.
void give_way(const std::string& database) noexcept;

}  // namespace fq::store::rocks
