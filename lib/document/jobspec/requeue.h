// How often a job may run again (the attribute `system.requeue`, fq's own).

#pragma once

#include <cstdint>
#include <optional>

#include "document/jobspec/jobspec.h"

namespace fq::document {

/// How often the job may be requeued after its tasks have run; nothing where it does not say. Throws
/// Error{invalid} where that is no number from 0 to 1000.
[[nodiscard]] std::optional<std::uint32_t> allowed_requeues(const Jobspec& jobspec);

}  // namespace fq::document
