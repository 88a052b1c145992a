// Stores of other machines, by ssh: its program is run as who asks, and fq-door(8) there as who logs in.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/frame/common_options.h"
#include "cli/submit/surroundings.h"

namespace fq::tools {

/// The command that runs fq-door with `arguments`, words that a shell leaves as they are or that are quoted
/// for it, on `host`, as ssh(1) names it: by $FQ_SSH, else `ssh`. Words that are added go to fq-door. Throws
/// Error{usage} for what names no host.
[[nodiscard]] std::vector<std::string> on_host(const std::string& host, std::string_view arguments);

/// What fq-door is told of the store that the options mean. Throws Error{usage} for one that cannot be
/// elsewhere.
[[nodiscard]] std::string store_on_host(const cli::CommonOptions& options);

/// What is said where ssh, or the machine, gave no answer.
[[nodiscard]] Error nobody_at(const std::string& host);

/// What jobs take from where they are submitted: from this process, or, where the options name another
/// machine, from a login there. Throws Error.
[[nodiscard]] cli::Surroundings surroundings(const cli::CommonOptions& options);

}  // namespace fq::tools
