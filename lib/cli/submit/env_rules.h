// The environment of a job: rules of --env, --env-remove and --env-file, applied in their order to the
// environment of the submitter.
//
//   -PATTERN    remove what matches      PATTERN is a glob, or /REGEX/ (base/regex.h, matched at the start)
//   ^FILE       rules from FILE, one a line; `~/` is the home directory
//   VAR=VALUE   set; $VAR and ${VAR} are replaced, from the job's environment so far, else from the
//               submitter's; $$ is a dollar sign. A value with `{{` is then for the job's shell to expand
//   PATTERN     take what matches from the submitter's environment, unless it is set already

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/submit/surroundings.h"

namespace fq::cli {

struct EnvRule {
  std::string_view option;  ///< of which it is the value; a literal
  std::string text;         ///< as above: --env-remove=P is `-P`, --env-file=F is `^F`
};

struct JobEnvironment {
  Environment variables;
  Environment expand;  ///< templates, for shell.options.env-expand
};

/// True where the glob or /REGEX/ matches `name`. Throws Error{usage} for a regex that is none.
[[nodiscard]] bool matches_pattern(std::string_view pattern, const std::string& name);

/// Starts from surroundings.environment and applies the rules. Throws Error{usage} `OPTION: …`,
/// Error{combination} for a variable that a rule refers to and that is not set.
[[nodiscard]] JobEnvironment apply_env_rules(const std::vector<EnvRule>& rules,
                                             const Surroundings& surroundings);

}  // namespace fq::cli
