// The option --damaged of commands that only read.

#pragma once

#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"

namespace fq::cli {

/// Adds --damaged behind the common options: a damaged store is read as far as it can be, and lines on stderr
/// say that the answer may be incomplete, and what could not be read.
void add_damaged_option(OptionParser& parser, CommonOptions& options);

}  // namespace fq::cli
