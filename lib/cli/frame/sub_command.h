// Commands that consist of sub-commands: `fq-job info`, `fq-queue stop`.

#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace fq::cli {

struct SubCommand {
  std::string_view name;
  std::string_view summary;  ///< empty: that of the one before says it, in one row of the list
  std::function<int(int argc, char** argv)> run;  ///< argv[0] is the sub-command's name
};

/// Runs the sub-command that argv[1] names. --help and no argument at all list them (EarlyExit,
/// Error{usage}). Throws Error{usage} for an unknown one, with a near match.
int run_sub_command(std::string_view name, std::string_view summary, std::span<const SubCommand> commands,
                    int argc, char** argv);

}  // namespace fq::cli
