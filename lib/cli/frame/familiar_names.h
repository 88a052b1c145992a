// What other batch systems call what fq has, for hints: nothing of it is accepted.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fq::cli {

/// The option among `known` that does what `option` does in Slurm, PBS or elsewhere in Flux; empty: none.
[[nodiscard]] std::string familiar_option(std::string_view option, std::span<const std::string> known);

/// The command of fq, without `fq`, that does what `name` does elsewhere; empty: none.
[[nodiscard]] std::string_view familiar_command(std::string_view name);

/// How what `name` does elsewhere is done where fq has no command for it, a sentence; empty: not known.
[[nodiscard]] std::string_view familiar_way(std::string_view name);

/// The same of an option, for a command that has the options `known`.
[[nodiscard]] std::string_view familiar_option_way(std::string_view option,
                                                   std::span<const std::string> known);

/// `D-HH:MM:SS` and the like as a duration of fq, `1.5h`, `1h30m` as `90m` and `5min` as `5m`; empty for
/// other texts.
[[nodiscard]] std::string familiar_duration(std::string_view text);

/// `now+1hour` as `+1h`, a time from now on as fq takes it; empty for other texts.
[[nodiscard]] std::string familiar_begin_time(std::string_view text);

}  // namespace fq::cli
