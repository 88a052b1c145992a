// Who may do what: the one place that decides.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "manager/core/change.h"

namespace fq::manager {

/// The owner of the store, or root.
[[nodiscard]] bool is_owner(const Credential& caller, std::uint32_t owner);
/// Throws Error{permission} `message` unless the caller is the owner.
void require_owner(const Credential& caller, std::uint32_t owner, const std::string& message);
void require_owner(Change& change, const std::string& message);

/// Whether the caller may act on the job: its user and the owner may.
[[nodiscard]] bool may_act(const Credential& caller, std::uint32_t owner, const job::Job& job);
/// Throws Error{permission} unless the caller may act on the job.
void require_access(const Credential& caller, std::uint32_t owner, const job::Job& job);
void require_access(Change& change, const job::Job& job);
void require_access(const store::Reader& reader, const Credential& caller, const job::Job& job);

/// Throws Error{permission} for an urgency that only the owner may give.
void require_urgency(Change& change, std::uint8_t urgency);
/// Throws Error{refused} `job ƒ… is inactive`.
void require_active(const job::Job& job);

}  // namespace fq::manager
