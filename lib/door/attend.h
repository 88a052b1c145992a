// The answering end of a connection (frame.h): requests are answered by the manager, until who asks is gone.

#pragma once

#include <string>

#include "base/unique_fd.h"
#include "manager/engine/session.h"

namespace fq::door {

/// What another process has done of a connection that this one goes on with.
struct Begun {
  bool is_greeted = false;   ///< who asks has been welcomed
  std::string read = {};     ///< what came and was not answered, behind the greeting if there was one
  std::string written = {};  ///< what was answered and not sent yet
};

/// `session` is the store and who asks; its command, lock time-out, notices and damaged store are set as who
/// asks greets. `socket` is connected to it. Throws Error{invalid} for what is no frame.
void attend(manager::Session session, UniqueFd socket, Begun begun = {});

}  // namespace fq::door
