#include "shell/instance_dump.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "meeting/enclosure.h"
#include "meeting/task_record.h"
#include "process/start/find_program.h"

namespace fq::shell {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxComplaint = 200;

// The directory in the archive is called as the archive, without its suffixes.
std::string stem_of(const std::string& name) {
  const std::size_t tar = name.rfind(".tar");
  return name.substr(0, tar != std::string::npos && tar > 0 ? tar : name.rfind('.'));
}

// In a replacement of sed's these have a meaning.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&' || c == '\\' || c == '|') out += '\\';
    out += c;
  }
  return out;
}

// The first line of what it says.
std::string first_line(const std::string& text) {
  return printable(text.substr(0, std::min(text.find('\n'), kMaxComplaint)));
}

int run(const process::TaskCommand& command,
        const std::function<void(const std::vector<process::StartedTask>&)>& record,
        const std::function<bool()>& waits, std::string& said) {
  constexpr int kLook_ms = 100;
  process::StartedTask task = std::move(process::start_tasks({command}, record).front());
  char buffer[4096];
  const auto read_what_it_says = [&] {
    for (ssize_t n; (n = ::read(task.err.get(), buffer, sizeof buffer)) > 0;)
      said.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(n), kMaxComplaint));
    while (::read(task.out.get(), buffer, sizeof buffer) > 0) {
    }
  };
  for (bool killed = false;;) {
    pollfd fd{task.err.get(), POLLIN, 0};
    ::poll(&fd, 1, kLook_ms);
    read_what_it_says();
    int status = 0;
    if (::waitpid(task.pid, &status, WNOHANG) == task.pid) {
      read_what_it_says();
      bool pending = false;
      if (const auto reason = process::start_failure(task.failed, pending))
        said = process::why_not_run(command, *reason);
      return status;
    }
    if (killed || waits()) continue;
    killed = true;
    ::kill(task.pid, SIGKILL);
  }
}

}  // namespace

std::string dump_instance(const InstanceDump& dump,
                          const std::function<void(const std::vector<process::StartedTask>&)>& record,
                          const std::function<bool()>& waits) {
  const std::string instance = meeting::instance_path(dump.tmpdir);
  if (!exists(instance)) return "no command of the job has used its instance";
  // What waits in it still would begin where somebody looks at what is kept.
  process::TaskCommand cancel;
  cancel.rank = meeting::kPerilogRank;
  cancel.environment = dump.environment;
  cancel.stdin_path = "/dev/null";
  const fs::path target(dump.file);
  const std::string name = target.filename().string();
  const std::string partial = (target.parent_path() / (".new." + name)).string();
  const std::string inside = fs::path(instance).filename().string();
  process::TaskCommand command;
  command.rank = meeting::kPerilogRank;
  // What says inside which job it is is not true of what is kept.
  command.arguments = {"tar",
                       "--create",
                       "--auto-compress",
                       "--file",
                       partial,
                       "--force-local",
                       "--directory",
                       dump.tmpdir,
                       fmt::format("--exclude={}/enclosure", inside),
                       fmt::format("--transform=s|^{}|{}|", inside, escaped(stem_of(name))),
                       inside};
  command.environment = dump.environment;
  command.stdin_path = "/dev/null";
  std::string said;
  try {
    cancel.arguments = {process::find_program("fq-tick"), "--end", "--store", instance};
    if (run(cancel, record, waits, said) != 0) return first_line(said);
    const int status = run(command, record, waits, said);
    if (status == 0) {
      sync_file(partial);
      if (::rename(partial.c_str(), dump.file.c_str()) != 0)
        throw system_error("cannot rename " + quote(partial), errno);
      return {};
    }
    ::unlink(partial.c_str());
    if (!said.empty()) return first_line(said);
    return WIFSIGNALED(status) ? fmt::format("tar was ended by signal {}", WTERMSIG(status))
                               : fmt::format("tar exited with {}", WEXITSTATUS(status));
  } catch (const Error& failure) {
    ::unlink(partial.c_str());
    return failure.what();
  }
}

}  // namespace fq::shell
