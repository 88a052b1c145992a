// fq: all commands in one program. Called `fq-NAME`, or with NAME as its first word, it is that command; for
// other words it runs `fq-NAME` from beside itself or from PATH, as git does; alone it lists the commands.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/familiar_names.h"
#include "cli/frame/locale_text.h"
#include "cli/frame/output.h"
#include "cli/frame/own_names.h"
#include "cli/frame/run_tool.h"
#include "commands.h"

namespace {

namespace fs = std::filesystem;
using namespace fq;

struct Command {
  std::string_view name;  ///< or several, with commas between them
  std::string_view summary;
};
struct Group {
  std::string_view title;
  std::vector<Command> commands;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups{
      {"Submit and run",
       {{"submit", "submit a job and print its id"},
        {"run, exec", "run a job and wait for it; a command on each node"},
        {"bulksubmit", "submit a job for each input and print their ids"},
        {"batch, alloc", "submit a script; work in an allocation, on this terminal"}}},
      {"Look and act",
       {{"jobs, pgrep", "list jobs; print the ids of some by name"},
        {"job, update", "look at a job, act on it: why, attach, …; change it"},
        {"cancel, pkill", "cancel jobs, by id or by name"},
        {"top, uptime", "what is taken and runs, on a screen; since when it is there"}}},
      {"Queues, resources and the store",
       {{"queue, report", "status, stop, start, list queues; a page, or figures, of use"},
        {"resource", "list what is free and what is taken"},
        {"housekeeping", "what is run on nodes after jobs"},
        {"priority", "what orders jobs, factor by factor"},
        {"account", "banks, their users, and what these have used"},
        {"config, log", "configure queues and their policy; who did what, and when"},
        {"sim, sched", "try configurations, and schedulers"},
        {"init, fsck", "make a store; check it, and repair it"},
        {"dump, restore", "write a store to a file; make a store of that"},
        {"R, hostlist", "read and combine resource sets, and lists of hosts"}}},
  };
  return kGroups;
}

// Where commands are looked for: beside this program, then on PATH.
std::vector<fs::path> command_directories() {
  std::vector<fs::path> directories;
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) directories.push_back(self.parent_path());
  if (const char* path = std::getenv("PATH"); path != nullptr) {
    for (const std::string_view entry : split(path, ':')) {
      if (!entry.empty()) directories.emplace_back(entry);
    }
  }
  return directories;
}

std::vector<std::string> command_names() {
  std::set<std::string> names{"help", "version"};
  for (const Group& group : groups()) {
    for (const Command& command : group.commands) {
      for (const std::string_view name : split(command.name, ',')) names.emplace(trim(name));
    }
  }
  return {names.begin(), names.end()};
}

// What does what is asked for: the command that has a sub-command that people type alone, or the one that is
// called so elsewhere. Empty for other names.
std::string command_for(const std::string& name) {
  static const std::map<std::string_view, std::vector<std::string_view>> kSubCommands{
      {"job",
       {"attach", "eventlog", "id", "info", "kill", "last", "memo", "purge", "raise", "timeleft", "urgency",
        "wait", "why"}},
      {"queue", {"disable", "enable", "start", "stop"}},
      {"resource", {"drain", "undrain", "who"}}};
  for (const auto& [command, names] : kSubCommands) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      return fmt::format("{} {}", command, name);
  }
  return std::string{cli::familiar_command(name)};
}

// What calls this program here: another one may be called fq.
std::string_view own_name() {
  return cli::another_fq_comes_first() ? "fqueue" : "fq";
}

std::string overview() {
  std::string out = fmt::format("Usage: {} COMMAND [ARG...]\n", own_name());
  for (const Group& group : groups()) {
    out += fmt::format("{}\n", group.title);
    for (const Command& command : group.commands) {
      out += fmt::format("  {:<15}{}\n", command.name, command.summary);
    }
  }
  return out += fmt::format("{0} COMMAND --help says more of one; {0} help COMMAND opens its manual page.\n",
                            own_name());
}

// Replaces this process; returns only when there is no such program.
void execute(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
}

void run_command(const std::string& name, std::vector<std::string> arguments) {
  arguments.front() = "fq-" + name;
  int reason = ENOENT;
  for (const fs::path& directory : command_directories()) {
    execute((directory / arguments.front()).string(), arguments);
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
  }
  if (reason != ENOENT) throw system_error("cannot run " + quote(arguments.front()), reason);
  const std::string command = command_for(name);
  std::string hint =
      command.empty() ? did_you_mean(name, command_names()) : fmt::format("did you mean 'fq {}'?", command);
  if (const std::string_view way = cli::familiar_way(name); !way.empty()) hint = way;
  if (hint.empty()) hint = fmt::format("`{}` alone lists them", own_name());
  throw Error{Kind::usage, fmt::format("there is no command {}", quote(name)), hint};
}

// Replaces this process by the manual page of a command, of that section where one is given, or by its --help
// where no page is installed.
void open_manual(std::string name, const std::string& section) {
  constexpr const char* kScript =
      "man -w \"$0\" >/dev/null 2>&1 && exec man \"$0\"; exec \"$1\" \"$2\" --help";
  if (name.starts_with("fq-")) name.erase(0, 3);
  const std::string page = name == "fq" ? name : "fq-" + name;
  if (name == "format" || !section.empty()) {
    ::execlp("man", "man", section.empty() ? "7" : section.c_str(), page.c_str(), nullptr);
    throw system_error("cannot run 'man'", errno);
  }
  if (name == "fq" || tools::find_command(page) != nullptr) {
    std::error_code failure;
    const fs::path self = fs::read_symlink("/proc/self/exe", failure);
    ::execl("/bin/sh", "sh", "-c", kScript, page.c_str(), self.c_str(),
            name == "fq" ? "--help" : name.c_str(), nullptr);
  }
  run_command(name, {"", "--help"});
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      (arguments[0] == "help" && arguments.size() == 1)) {
    cli::print(cli::for_locale(overview()));
    return 0;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V" || arguments[0] == "version") {
    cli::print("fq " FQ_VERSION "\n");
    return 0;
  }
  if (arguments[0] == "help") {
    const bool sectioned = arguments.size() > 2 && arguments[1].size() == 1;
    open_manual(arguments[sectioned ? 2 : 1], sectioned ? arguments[1] : "");
    return 1;
  }
  if (arguments[0] == "--store" || arguments[0].starts_with("--store=")) {
    throw Error{Kind::usage, "--store wants a directory, and a command behind it",
                fmt::format("{} --store DIR COMMAND", own_name())};
  }
  if (arguments[0] == "--host" || arguments[0].starts_with("--host=")) {
    throw Error{Kind::usage, "--host wants a host, and a command behind it",
                fmt::format("{} --host HOST COMMAND", own_name())};
  }
  if (arguments[0].starts_with('-')) {
    static const std::vector<std::string> kOptions{"--help", "--version"};
    std::string hint = did_you_mean(arguments[0], kOptions);
    if (hint.empty()) hint = fmt::format("options stand after the command: {} COMMAND --help", own_name());
    throw Error{Kind::usage, fmt::format("unknown option {}", quote(arguments[0])), hint};
  }
  run_command(arguments[0], arguments);
  return 1;
}

}  // namespace

namespace {

// `fq --store DIR --host HOST COMMAND`: takes the options away; they are the command's by $FQ_STORE and
// $FQ_HOST.
void take_options(int& argc, char**& argv) {
  constexpr std::array<std::pair<std::string_view, const char*>, 2> kOptions{
      {{"--store", "FQ_STORE"}, {"--host", "FQ_HOST"}}};
  const auto take = [&](std::string_view option, const char* variable) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    int taken = 0;
    const char* value = nullptr;
    if (word == option && argc > 2) {
      value = argv[2];
      taken = 2;
    } else if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      value = argv[1] + option.size() + 1;
      taken = 1;
    }
    if (value == nullptr || *value == '\0' || argc - taken < 2) return false;
    ::setenv(variable, value, 1);
    argc -= taken;
    argv += taken;
    return true;
  };
  while (std::any_of(kOptions.begin(), kOptions.end(),
                     [&](const auto& option) { return take(option.first, option.second); })) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view called = argc > 0 ? argv[0] : "fq";
  const tools::Command* command = tools::find_command(called.substr(called.rfind('/') + 1));
  if (command == nullptr) take_options(argc, argv);
  if (command == nullptr && argc > 1) {
    command = tools::find_command(fmt::format("fq-{}", argv[1]));
    if (command != nullptr) {
      --argc;
      ++argv;
    }
  }
  if (command != nullptr) return cli::run_tool(command->program, argc, argv, command->run);
  return cli::run_tool(own_name(), argc, argv, run);
}
