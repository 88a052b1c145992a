// The option --damaged of commands that only read.

#pragma once

#include <string_view>

#include "cli/option_parser.h"

namespace fq::cli {

/// Adds --damaged behind the common options of `command`: a damaged store is read as far as it can be, and a
/// line on stderr says that the answer may be incomplete.
void add_damaged_option(OptionParser& parser, std::string_view command);

}  // namespace fq::cli
