// What a queue that the users of a machine share needs besides its store: a user whose it is, root's keys,
// setuid programs, a session for jobs, and something that starts them again after a boot. Each step says what
// it has made, in a line, and nothing where all was there.

#pragma once

#include <optional>
#include <string>

namespace fq::tools::system_setup {

using Line = std::optional<std::string>;

/// Throws Error unless root runs this, of an installation that is root's alone: no user may change what runs
/// with root's rights.
void require_root_and_installation();

/// The system user whom the store belongs to. Throws Error where there is one of that name that is a
/// person's.
[[nodiscard]] Line make_user();
/// Root's keys; `renew`: others in their place, which verify until what they signed has expired. Throws
/// Error where others may know the secret one.
[[nodiscard]] Line make_keys(bool renew);
/// The PAM service of jobs.
[[nodiscard]] Line make_session();
/// Makes fq-gate and fq-imp setuid.
[[nodiscard]] Line make_setuid();
/// The place of the store, which is its user's alone. Throws Error where something else is there.
[[nodiscard]] Line make_place();
/// The places that the system makes at boot, where it is systemd's.
[[nodiscard]] Line make_tmpfiles();
/// Has systemd start the queue again after a boot, and look after it.
[[nodiscard]] Line start_at_boot();
/// What to call at a boot, where systemd does not run.
[[nodiscard]] Line what_to_call_at_boot();

/// The user whom the store belongs to.
[[nodiscard]] const std::string& store_user();

}  // namespace fq::tools::system_setup
