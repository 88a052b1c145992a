// An instance as people see it at a glance: a line, or the head of a screen.

#pragma once

#include <string>

#include "request/site.h"

namespace fq::cli {

/// ` 14:23:14 run 1.1d,  owner ada,  depth 0,  size 4,  1 drained`, and a second line where it does not take
/// jobs, or start them.
[[nodiscard]] std::string overview_text(const request::InstanceOverview& overview);

/// The head of fq-top, lines: what is taken, and how many jobs there are; with bars of `columns`.
[[nodiscard]] std::string summary_text(const request::InstanceOverview& overview, double now, bool color,
                                       std::size_t columns = 30);

}  // namespace fq::cli
