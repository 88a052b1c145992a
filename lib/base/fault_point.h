// Named points between the effects of a change, at which tests end a process to see that nothing depends on
// what would have come next. The programs that are installed have none: there the function is empty. The
// tests link a second set of programs with tests/crash/fault/, in which it ends the process.

#pragma once

#include <string_view>

namespace fq {

/// Says that the point `name` is passed; names are lower case with hyphens, `commit-done`.
void fault_point(std::string_view name);

}  // namespace fq
