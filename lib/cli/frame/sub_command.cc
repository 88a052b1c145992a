#include "cli/frame/sub_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/familiar_names.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {

int run_sub_command(std::string_view name, std::string_view summary, std::span<const SubCommand> commands,
                    int argc, char** argv) {
  std::vector<std::string> names;
  for (const SubCommand& command : commands) names.emplace_back(command.name);
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  if (wanted == "--help" || wanted == "-h" || wanted == "help") {
    std::string text = fmt::format(
        "Usage: {0} COMMAND [ARG...]: {1}\nCommands, of which {0} COMMAND --help says more\n", name, summary);
    std::size_t width = 12;
    for (const std::string& each : names) width = std::max(width, each.size() + 2);
    for (std::size_t i = 0; i < commands.size();) {
      std::string row{commands[i].name};
      const std::string_view of_all = commands[i].summary;
      for (++i; i < commands.size() && commands[i].summary.empty(); ++i)
        row += fmt::format(", {}", commands[i].name);
      text += fmt::format("  {:<{}}{}\n", row, std::max(width, row.size() + 2), of_all);
    }
    throw EarlyExit{text, 0};
  }
  if (wanted == "--version") throw EarlyExit{fmt::format("{} {}\n", name, FQ_VERSION), 0};
  for (const SubCommand& command : commands) {
    if (command.name == wanted) return command.run(argc - 1, argv + 1);
  }
  if (wanted.empty()) throw Error{Kind::usage, "which command?", "one of " + join(names, ", ")};
  const std::string_view familiar = familiar_command(wanted);
  std::string hint =
      familiar.empty() ? did_you_mean(wanted, names) : fmt::format("did you mean 'fq {}'?", familiar);
  if (const std::string_view way = familiar_way(wanted); !way.empty()) hint = way;
  if (hint.empty()) hint = "one of " + join(names, ", ");
  throw Error{Kind::usage, fmt::format("there is no command {}", quote(wanted)), hint};
}

}  // namespace fq::cli
