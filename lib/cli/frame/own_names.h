// The commands' own names in what fq says of them: `fq-init` for `fq init` where another program is called fq.

#pragma once

#include <string>
#include <string_view>

namespace fq::cli {

/// Whether the first `fq` on PATH is not the one beside this program: others have a program of that name.
/// Looked at once in a process. Where there is none on PATH, it is not.
[[nodiscard]] bool another_fq_comes_first();

/// `text` with `fq-NAME` for each `fq NAME` that is a command.
[[nodiscard]] std::string with_own_names(std::string_view text);

/// The text as it works here: with_own_names where another fq comes first, else as it is.
[[nodiscard]] std::string as_it_works(std::string_view text);

}  // namespace fq::cli
