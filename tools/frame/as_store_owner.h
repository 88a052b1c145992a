// What looks after a store itself, for root.

#pragma once

#include <functional>
#include <string_view>

#include "cli/frame/common_options.h"

namespace fq::tools {

/// Runs `work` of the command, and returns its exit code: where root acts on the store that users share, in a
/// child that is the user whom that belongs to (process::do_as_user). Root itself opens nothing there: that
/// user, were it taken over, could put links and jobs of root's in its place. Files that the work needs are
/// opened before. REQUIRES a single thread. Throws Error where it is no child's.
[[nodiscard]] int as_store_owner(std::string_view command, const cli::CommonOptions& options,
                                 const std::function<int()>& work);

}  // namespace fq::tools
