// What fq-imp(8) says of the processes of a job that runs as its user: which of them are left is its word
// alone.

#pragma once

#include <optional>
#include <string>

#include "meeting/launch.h"
#include "process/tree/process_id.h"

namespace fq::meeting {

/// Sends `signal` to the job's processes (0: none, SIGKILL: ends all). Returns nothing where none of its
/// attempts up to `attempt` is left, nor will begin; else the process that ends after all others. `imp` is
/// the path of fq-imp. Throws Error{unavailable, timeout} where it does not say.
[[nodiscard]] std::optional<process::ProcessKey> kill_by_imp(const std::string& imp, const SignedStart& start,
                                                             notation::JobId id, std::uint32_t attempt,
                                                             int signal);

/// What the user signed of the job whose guest directory is there; none where its processes are this user's
/// own.
[[nodiscard]] std::optional<SignedStart> signed_start_of(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
