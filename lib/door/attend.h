// The answering end of a connection (frame.h): requests are answered by the manager, until who asks is gone.

#pragma once

#include "base/unique_fd.h"
#include "manager/engine/session.h"

namespace fq::door {

/// `session` is the store and who asks; its command, lock time-out, notices and damaged store are set as who
/// asks greets. `socket` is connected to it. Throws Error{invalid} for what is no frame.
void attend(manager::Session session, UniqueFd socket);

}  // namespace fq::door
