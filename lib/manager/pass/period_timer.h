// The instant at which time alone may change which job comes first: the next boundary of a queue's
// `policy.priority.period`, while jobs wait and something is free. It is a timer of the store, for which the
// waker waits, and `fq priority update` of who has no waker.

#pragma once

#include <optional>
#include <string>

#include "manager/core/change.h"
#include "request/priority.h"

namespace fq::manager {

using request::PriorityUpdate;

/// The key of the timer in the index; nothing where none is set.
[[nodiscard]] std::optional<std::string> period_timer(const store::Reader& reader);
/// When that is, seconds since the epoch; infinity where none is set.
[[nodiscard]] double time_of_period_timer(const store::Reader& reader);
/// The next boundary for a queue; infinity where its order does not move with time.
[[nodiscard]] double next_boundary(const priority::Parameters& parameters, double now);
/// Sets it after a complete pass for the earlier of `time`, where anything is free, and `in_any_case`, or
/// takes it away where these are infinity.
void set_period_timer(Change& change, double time, double in_any_case);
/// Takes it away, where it is set.
void clear_period_timer(store::Transaction& transaction);

/// Does what time has made due, as every change of the store does.
[[nodiscard]] PriorityUpdate update_priorities(const Session& session);

}  // namespace fq::manager
