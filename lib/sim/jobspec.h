// The jobspec (RFC 25) of a job of a trace.

#pragma once

#include <string>

#include "sim/trace.h"

namespace fq::sim {

/// `queue` empty: the default one. `dependencies` is the JSON text of the objects of RFC 26, or empty.
[[nodiscard]] std::string jobspec_of(const TraceJob& job, const std::string& queue,
                                     const std::string& dependencies);

}  // namespace fq::sim
