// What a test has armed: files in the folder `fault` beside the programs.

#pragma once

#include <string>
#include <string_view>

namespace fq::fault {

/// The path of what `name` is armed with. Empty when the program cannot find itself.
[[nodiscard]] std::string armed_path(std::string_view name);

}  // namespace fq::fault
