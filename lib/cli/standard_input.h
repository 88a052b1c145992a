// Standard input as a whole, for commands that read a document, or a list, from it.

#pragma once

#include <string>

namespace fq::cli {

/// All bytes up to the end of standard input. Throws Error.
[[nodiscard]] std::string read_standard_input();

}  // namespace fq::cli
