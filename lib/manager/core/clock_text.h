// Times as messages give them.

#pragma once

#include <string>

namespace fq::manager {

/// Seconds since the epoch as the local date and time, `2026-11-22 23:55:01`.
[[nodiscard]] std::string clock_text(double t);

}  // namespace fq::manager
