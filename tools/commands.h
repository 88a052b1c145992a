// The commands of the one program `fq`, which is called by all their names. The list of them is made of the
// fq_tool() calls in tools/CMakeLists.txt; each is defined in its tools/fq-NAME.cc.

#pragma once

#include <span>
#include <string_view>

namespace fq::tools {

namespace command {

#define FQ_COMMAND(name) int name(int argc, char** argv);
#include "commands_generated.h"
#undef FQ_COMMAND

}  // namespace command

struct Command {
  std::string_view program;  ///< `fq-submit`
  int (*run)(int argc,
             char** argv);  ///< argv[0] does not count; returns an exit code, throws as run_tool takes it

  /// `submit`
  [[nodiscard]] constexpr std::string_view name() const { return program.substr(3); }
};

/// All of them, in the order of their names.
[[nodiscard]] std::span<const Command> commands();

/// The command whose program is called so, as `fq-submit`; null when there is none.
[[nodiscard]] const Command* find_command(std::string_view program);

}  // namespace fq::tools
