// Signals by root's record.

#pragma once

#include <string>
#include <vector>

#include "caller.h"

namespace fq::imp {

/// `kill STORE ID ATTEMPT SIGNAL`: sends the signal to the job's processes as their user, SIGKILL to the
/// first of their namespace, with which all end, 0 to none. Tells on descriptor 1 `empty`, where no process
/// of the job's attempts up to this one is left and none will begin, else `COUNT PID START`: how many there
/// are, and which of them ends last. For the batch system's user.
void kill(const Caller& caller, const std::vector<std::string>& arguments);

}  // namespace fq::imp
