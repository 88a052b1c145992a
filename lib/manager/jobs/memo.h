// Memos: short notes that users and tools keep with a job (RFC 21), shown as its `user` annotations.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/core/change.h"
#include "request/alter.h"

namespace fq::manager {

using request::MemoRequest;

/// Throws Error{not_found}, {permission}, {refused} for a job that has ended or a memo that grows too large.
void add_memo(const Session& session, const MemoRequest& request);

/// The job's memo as JSON object text, with what `keeps_no_event` added; empty: none.
[[nodiscard]] std::string full_memo(const store::Reader& reader, const job::Job& job);

}  // namespace fq::manager
