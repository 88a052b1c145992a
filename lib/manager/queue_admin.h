// Starting, stopping, enabling and disabling the queue, and what its state is (RFC 33).

#pragma once

#include <cstdint>
#include <string>

#include "manager/change.h"
#include "records/instance.h"

namespace fq::manager {

struct QueueRequest {
  enum class Verb : std::uint8_t { start, stop, enable, disable };
  Verb verb = Verb::start;
  std::string queue;   ///< empty: the anonymous queue
  std::string reason;  ///< of stop and disable; disabling needs one
};

/// Returns the state that the queue now has. Stopping cancels what pending jobs were told of their start.
/// Throws Error{permission} unless the caller is the owner, Error{not_found} for an unknown queue.
records::QueueState set_queue(const Session& session, const QueueRequest& request);

}  // namespace fq::manager
