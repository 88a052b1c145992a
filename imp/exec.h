// A job's start.

#pragma once

#include "caller.h"

namespace fq::imp {

/// `exec`, for the batch system's user. Descriptors 0 and 1 are pipes: the first begins with a message
/// (signature/exec_message.h), and what comes after it is for the user's half of the shell, which writes to
/// the second, and reads its job from descriptor 3. Stays until no process of the job is left, and ends them
/// once nobody reads what they write. Writes a line `started` to descriptor 2 when the user's half runs, and
/// `ended CODE` when nothing is left. Throws Refused where the job must not run, Failed where it could not.
void exec(const Caller& caller);

}  // namespace fq::imp
