#include "cli/frame/logout_hint.h"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/frame/output.h"
#include "process/user/state_directory.h"

namespace fq::cli {

std::optional<std::string> logout_hint(std::string_view command, process::LogoutEnds ends) {
  switch (ends) {
    case process::LogoutEnds::session:
      return fmt::format(
          "{}: your jobs end when you log out (logind has KillUserProcesses=yes); they stay after "
          "`loginctl enable-linger` in what `systemd-run --user --scope` starts\n",
          command);
    case process::LogoutEnds::user_manager:
      return fmt::format("{}: your jobs end when you log out; `loginctl enable-linger` lets them stay\n",
                         command);
    case process::LogoutEnds::nothing:
      break;
  }
  return std::nullopt;
}

void hint_logout(std::string_view command) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const auto directory = process::state_directory();
  if (!directory) return;
  const std::string said = *directory + "/told-of-logout";
  try {
    if (exists(said)) return;
    const auto hint = logout_hint(command, process::logout_ends());
    if (!hint) return;
    print_error(*hint);
    std::filesystem::create_directories(*directory);
    write_file(said, "");
  } catch (const std::exception&) {
    return;  // it will be said again
  }
}

}  // namespace fq::cli
