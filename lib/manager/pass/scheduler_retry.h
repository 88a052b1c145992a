// Queues that a failure of their external scheduler has suspended are tried again by themselves: after 10 s,
// and each time it fails again after twice as long, up to 10 min. The next time is a timer of the store, for
// which the waker waits. What ends it is a pass that the scheduler serves, `fq queue start`, or a new
// configuration.

#pragma once

#include <optional>
#include <string>

#include "manager/core/change.h"

namespace fq::manager {

inline constexpr double kFirstRetry = 10;     ///< seconds
inline constexpr double kLongestRetry = 600;  ///< seconds

/// The key of the timer in the index; nothing where none is set.
[[nodiscard]] std::optional<std::string> retry_timer(const store::Reader& reader);
/// When the scheduler of a queue is tried again, seconds since the epoch; nothing where it is not.
[[nodiscard]] std::optional<double> next_retry(const store::Reader& reader, const std::string& queue);
/// Its external scheduler has failed: when it is tried again.
void plan_retry(Change& change, const std::string& queue);
/// Its scheduler serves it, or somebody has seen to it: the next failure is a first one. Whether it had
/// failed.
bool forget_retry(store::Transaction& transaction, const std::string& queue);
void forget_retries(store::Transaction& transaction);
/// Resumes those whose time has come. The caller makes a pass due.
void resume_for_retry(Change& change);

}  // namespace fq::manager
