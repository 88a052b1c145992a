// Raising exceptions on jobs; a severity-0 one ends the job. Cancelling is the exception `cancel`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/engine/session.h"
#include "request/end.h"

namespace fq::manager {

using request::RaiseReply;
using request::RaiseRequest;

/// Only the owner may raise on others' jobs: a selection passes them over.
[[nodiscard]] RaiseReply raise(const Session& session, const RaiseRequest& request);

}  // namespace fq::manager
