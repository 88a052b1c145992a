// The command line of fq-batch: a script, from a file, from standard input or wrapped around a command, and
// the options of its job, which may stand in the script as directives (RFC 36).

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "cli/frame/input.h"
#include "cli/submit/submit_options.h"

namespace fq::cli {

struct BatchOptions {
  SubmitOptions submit;  ///< with script, command, and where not given job_name and output
  CommonOptions common;
  std::string hint;                     ///< about directives of other systems; empty: none
  std::vector<std::string> directives;  ///< as they were read: `'run.sh': line 2: -N2 -t 1h`
};

/// Throws what is wrong with the values of options; Error{combination} where others could make them right.
using CheckOptions = std::function<void(const SubmitOptions&)>;

/// Reads `arguments` (without the command's name) and the script that they name, or `-`. What the command
/// line says holds against what the script says; options that may be repeated add up. Throws Error{usage} for
/// options that are none, `FILE: line 3: …` where they stand in the script, and Error{invalid} for what is no
/// script. Each directive's values are shown to `check`, where there is one, and what it throws is said of
/// the line.
[[nodiscard]] BatchOptions parse_batch(const std::vector<std::string>& arguments, const ReadInput& read,
                                       const CheckOptions& check = {});

}  // namespace fq::cli
