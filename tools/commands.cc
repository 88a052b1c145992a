#include "commands.h"

#include <algorithm>
#include <array>

namespace fq::tools {
namespace {

constexpr std::array kCommands{
#define FQ_COMMAND(name) Command{"fq-" #name, command::name},
#include "commands_generated.h"
#undef FQ_COMMAND
};

static_assert(std::ranges::is_sorted(kCommands, {}, &Command::program));

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

const Command* find_command(std::string_view program) {
  const auto* found = std::ranges::lower_bound(kCommands, program, {}, &Command::program);
  return found != kCommands.end() && found->program == program ? found : nullptr;
}

}  // namespace fq::tools
