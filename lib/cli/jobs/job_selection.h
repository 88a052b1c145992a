// Job selections on command lines: states, users, queues (`-f pending,failed -u alice`).

#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "request/job_filter.h"

namespace fq::cli {

struct StateSelection {
  std::set<job::State> states;
  std::set<job::Result> results;  ///< empty: inactive jobs whatever their result
};

/// A comma-separated list of states (`sched`, `S`), virtual states (`pending`, `running`, `active`,
/// `inactive`) and results (`failed`, `F`), in any case. Throws Error{usage} with a near match.
[[nodiscard]] StateSelection parse_states(std::string_view text);
[[nodiscard]] std::set<job::State> active_states();

/// The user of that name or number; nothing for `all`. Throws Error{not_found}.
[[nodiscard]] std::optional<std::uint32_t> parse_user(std::string_view text);

/// The caller's jobs in every queue, or those of `user`; only those of `queues` where given (`all`: every
/// one).
[[nodiscard]] request::JobFilter selection(const std::optional<std::string>& user,
                                           const std::vector<std::string>& queues);

/// Narrows the filter to the states and results in `text` (parse_states); without a text to active jobs,
/// unless `all` are wanted.
void select_states(request::JobFilter& filter, const std::optional<std::string>& text, bool all);

}  // namespace fq::cli
