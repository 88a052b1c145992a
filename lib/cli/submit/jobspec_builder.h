// From submission options to a jobspec (RFC 14, RFC 25), as `flux submit --dry-run` prints it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/submit/submit_options.h"
#include "cli/submit/surroundings.h"

namespace fq::cli {

/// The jobspec that the options ask for. Reads nothing but its arguments and, through
/// surroundings.read_file, the files that the options name. `copy` is the number of the copy for FLUX_JOB_CC
/// and FQ_JOB_CC in the job's environment. Throws Error{combination} where options are missing or
/// contradict each other, Error{usage} where a value does not fit, naming the option.
///
///   -n T               slot[T] > core[c], gpu[g]                      one task a slot
///   -N N -n T          node[N] > slot[⌈T/N⌉] > …                      total T tasks where N does not divide
///   T -N N               node[N, exclusive] > slot[1] > …
///   --cores C          slot[C] > core[1]
///   -N N --cores C     node[N] > slot[1] > core[C/N], gpu[--gpus-per-node]
///   -N N --tasks-per-… node[N, exclusive] > slot[1] > core[1], gpu
///   --tasks-per-node T, --tasks-per-core T: shell.options.per-resource
///   -t 0, -t inf: attributes.system.unlimited, beside a duration of 0
///   a batch script: shell.options.batch, attributes.system.files.script
///
/// attributes.system.shell.options also has `rlimit`, `umask` (octal text, `0022`) and what --output,
/// --error,
/// --input, -u, -l, --signal, -o and `{{…}}` in --env set.
[[nodiscard]] nlohmann::json build_jobspec(const SubmitOptions& options, const Surroundings& surroundings,
                                           std::optional<std::uint32_t> copy = std::nullopt);

/// The job's working directory: what --cwd says, as seen from where the command runs. Throws Error{usage} for
/// what is not UTF-8.
[[nodiscard]] std::string working_directory(const std::optional<std::string>& cwd,
                                            const Surroundings& surroundings);

}  // namespace fq::cli
