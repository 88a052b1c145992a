// The CPUs that this process may run on.

#pragma once

#include "notation/idset.h"

namespace fq::process {

/// The CPUs of this process's affinity mask.
[[nodiscard]] notation::Idset current_affinity();
/// Binds this process to those of `cpus` that the machine has and its cpuset allows. Returns false, and
/// changes nothing, when there is none. Makes no allocation that is unsafe after fork in one thread.
bool set_affinity(const notation::Idset& cpus);

}  // namespace fq::process
