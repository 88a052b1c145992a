// Singleton dependencies (RFC 26): of a user's active jobs that were given the same name, one at a time is
// past its dependencies. A job that waits for the name lets others pass; when the last one that does not wait
// ends, the first of those that wait, by id, stops waiting.
//
// Who has a name is read from the `n` keys of the index (records/keys.h), which are kept up to date within
// the transaction.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "manager/core/change.h"

namespace fq::manager {

/// What a job has to do with its name; nothing for a job without one, or that has ended.
struct NameHold {
  std::string name;
  std::uint32_t userid = 0;
  bool waits = false;
  std::string key;  ///< its index entry
};
[[nodiscard]] std::optional<NameHold> name_hold(const job::Job& job);

/// Whether an active job of the user has the name and does not wait for it.
[[nodiscard]] bool name_is_taken(Change& change, std::uint32_t userid, std::string_view name);

/// Writes the job's index entry, after a change of the job.
void update_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now);
/// Lets a job go that waited for what the change made free. To be called after update_name, when all else
/// that follows from the change is done.
void settle_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now);

}  // namespace fq::manager
