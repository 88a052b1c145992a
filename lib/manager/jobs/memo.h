// Memos: short notes that users and tools keep with a job (RFC 21), shown as its `user` annotations.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/core/change.h"

namespace fq::manager {

/// All memos of a job may take so many bytes as JSON: every listing reads them.
inline constexpr std::size_t kMaxMemoBytes = 16U << 10U;

struct MemoRequest {
  JobId id;
  std::string memo;             ///< JSON object text, merged into what is there; null removes a key
  bool keeps_no_event = false;  ///< not in the event log, and gone when the job ends
};

/// Throws Error{not_found}, {permission}, {refused} for a job that has ended or a memo that grows too large.
void add_memo(const Session& session, const MemoRequest& request);

/// The job's memo as JSON object text, with what `keeps_no_event` added; empty: none.
[[nodiscard]] std::string full_memo(const store::Reader& reader, const job::Job& job);

}  // namespace fq::manager
