// A word to who submits from a login that takes its jobs along: once, on a terminal.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "process/user/login_session.h"

namespace fq::cli {

/// Says on stderr that jobs end with the login, if they do, stderr is a terminal, and it was not said before.
/// That it was said is kept as a file in the user's state directory.
void hint_logout(std::string_view command);

/// The line for it, or nothing.
[[nodiscard]] std::optional<std::string> logout_hint(std::string_view command, process::LogoutEnds ends);

}  // namespace fq::cli
