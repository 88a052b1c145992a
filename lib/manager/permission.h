// Who may do what: the one place that decides.

#pragma once

#include <string>

#include "manager/change.h"

namespace fq::manager {

/// The owner of the store, or root.
[[nodiscard]] bool is_owner(Change& change);
/// Throws Error{permission} `message` unless the caller is the owner.
void require_owner(Change& change, const std::string& message);
/// Throws Error{permission} unless the caller may act on the job: its user and the owner may.
void require_access(Change& change, const job::Job& job);

}  // namespace fq::manager
