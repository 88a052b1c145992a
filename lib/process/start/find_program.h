// Where fq's own helper programs are.

#pragma once

#include <string>
#include <string_view>

namespace fq::process {

/// The path of the helper `name`: `../libexec/fq/NAME` beside the directory of the running executable, else
/// NAME in that directory itself. Throws Error{internal} naming both places when neither can be executed.
[[nodiscard]] std::string find_program(std::string_view name);

/// The path of a file that stands beside the running executable; empty where there is none.
[[nodiscard]] std::string find_beside(std::string_view name);

}  // namespace fq::process
