// fq-sched: schedulers as programs, those that are built in and those of others.

#include <vector>

#include "cli/frame/sub_command.h"
#include "commands.h"
#include "sched/sub_commands.h"

namespace {

int run(int argc, char** argv) {
  const std::vector<fq::cli::SubCommand> commands{
      {"serve", "be a built-in scheduler on stdin and stdout", fq::tools::serve_scheduler},
      {"check", "whether a program is a scheduler that fq can use", fq::tools::check_scheduler},
  };
  return fq::cli::run_sub_command("fq-sched", "schedulers as programs", commands, argc, argv);
}

}  // namespace

int fq::tools::command::sched(int argc, char** argv) {
  return ::run(argc, argv);
}
