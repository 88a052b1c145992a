// Whether what a user leaves running ends with the login: systemd-logind ends the processes of a session
// where KillUserProcesses is set, and a user's service manager, with all below it, ends with the user's last
// session unless the user lingers.

#pragma once

#include <string>
#include <string_view>

namespace fq::process {

enum class LogoutEnds {
  nothing,
  session,       ///< logind: KillUserProcesses=yes
  user_manager,  ///< this process is below user@UID.service, and the user does not linger
};

/// What logging out does to what this process starts.
[[nodiscard]] LogoutEnds logout_ends();

/// The same on given facts: the control group of the process, the name of its user, and where the files of
/// systemd are looked for (`` for /).
[[nodiscard]] LogoutEnds logout_ends(std::string_view cgroup, const std::string& user,
                                     const std::string& root);

}  // namespace fq::process
