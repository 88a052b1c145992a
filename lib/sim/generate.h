// Workloads that nobody ran, but that look like those of a parallel machine: sizes, run times and arrivals as
// Lublin and Feitelson found them in the logs of three machines ("The workload on parallel supercomputers:
// modeling the characteristics of rigid jobs", J. Parallel Distrib. Comput. 63, 2003). Time limits are the
// round numbers that users write. The same seed gives the same workload everywhere.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/trace.h"

namespace fq::sim {

struct Generation {
  std::size_t jobs = 1000;
  std::uint64_t nodes = 1;       ///< of the machine
  std::uint64_t processors = 1;  ///< of the whole machine; no job asks for more
  std::uint32_t users = 32;      ///< of whom a few submit most
  double load = 0.8;             ///< processor seconds that come, of those that the machine has
  std::uint64_t seed = 1;
};

/// By time of submission; the first comes at 0. Throws Error{invalid} for no processors or users, or a load
/// that is not positive.
[[nodiscard]] Trace generate(const Generation& wanted);

/// In the Standard Workload Format, with the machine in its comments. Only what that format has is written.
[[nodiscard]] std::string write_trace(const Trace& trace, const std::string& remark);

}  // namespace fq::sim
