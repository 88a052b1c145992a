// A shell that has told the store of a prolog begins anew for the tasks: whoever has opened a database keeps
// its memory and threads, and a shell is to have neither.

#pragma once

#include "meeting/launch.h"

namespace fq::meeting {

/// Becomes `fq-shell --store DIR ID` in this process, as start_shell starts it, with `plan` in launch.json
/// and the lock in kAliveFd. Blocked signals, children and being their subreaper stay. Returns, or throws
/// Error, when that cannot be; nothing is lost then. REQUIRES inherit_alive.
void launch_anew(const JobFiles& files, const LaunchPlan& plan);

}  // namespace fq::meeting
