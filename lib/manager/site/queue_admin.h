// Starting, stopping, enabling and disabling queues, and what their state is (RFC 33).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/engine/session.h"
#include "records/queues.h"
#include "request/queue.h"
#include "request/wait.h"

namespace fq::manager {

using request::QueueRequest;
using request::QueueRest;
using request::QueueStatus;
using request::QueueStatusReply;

/// Returns the status that the queues now have. Throws as request::QueueRequest is refused.
std::vector<QueueStatus> set_queue(const Session& session, const QueueRequest& request);

/// What is said of a queue whose scheduler threw `reason`.
[[nodiscard]] std::string suspension_text(const std::string& reason);

/// The status of a queue. REQUIRES that it exists.
[[nodiscard]] QueueStatus status_of(records::Queues& queues, const std::string& name);
/// The status of one queue, or of all, by name. Throws Error{not_found}.
[[nodiscard]] std::vector<QueueStatus> queue_status(const store::Reader& reader,
                                                    const std::optional<std::string>& queue);

[[nodiscard]] QueueStatusReply queue_status(const Session& session, const std::optional<std::string>& queue);

/// Returns false when `timeout_s` passed first. Throws as request::WaitForRestRequest is refused.
[[nodiscard]] bool wait_for_rest(const Session& session, const std::optional<std::string>& queue,
                                 QueueRest rest, double timeout_s);

}  // namespace fq::manager
