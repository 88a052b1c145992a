// A control group of the job's own, of version 2, where there is one.

#pragma once

#include <string>

#include <sys/types.h>

namespace fq::imp {

/// Makes one below that of this process and moves the other there. Returns its directory; empty where it
/// cannot be.
[[nodiscard]] std::string join_new_cgroup(const std::string& name, pid_t pid);

}  // namespace fq::imp
