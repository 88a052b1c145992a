// fq-engine: answers the requests of one command, which asks on a socket, and then those of others. It is
// what the gate of a shared store starts, as the user whom the store belongs to; who asks is said by the
// gate.

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "commands.h"
#include "door/attend.h"
#include "door/reception.h"
#include "manager/engine/launcher.h"
#include "manager/engine/signatures.h"
#include "manager/engine/store_check.h"
#include "manager/site/initialize.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

namespace {

using namespace fq;

std::uint32_t parse_id(const std::string& text) {
  const auto number = parse_u64(text);
  if (!number || *number >= UINT32_MAX) throw error(Kind::usage, "expected an id, got {}", quote(text));
  return static_cast<std::uint32_t>(*number);
}

// What an engine that goes on with a connection finds where.
constexpr int kConnection = 3, kBegun = 4;

// Has another engine go on with a connection.
void hand_on(const manager::Session& session, door::Handed handed) {
  const std::string name = "begun";
  const UniqueFd begun{::memfd_create(name.c_str(), MFD_CLOEXEC)};
  if (!begun.valid()) throw system_error("cannot make a file in memory", errno);
  write_all(begun.get(), handed.begun.written + handed.begun.read, name);
  std::vector<std::string> words{"fq-engine",
                                 "--store",
                                 session.store,
                                 "--user",
                                 fmt::format("{}", handed.caller.uid),
                                 "--user-group",
                                 fmt::format("{}", handed.caller.gid),
                                 "--unsent",
                                 fmt::format("{}", handed.begun.written.size())};
  if (handed.begun.is_greeted) words.emplace_back("--greeted");
  process::start_detached(process::find_program("fq-engine"), words,
                          std::array{handed.socket.get(), begun.get()});
}

door::Begun read_begun(std::size_t unsent, bool is_greeted) {
  const UniqueFd file{kBegun};
  std::string bytes = read_file(fmt::format("/proc/self/fd/{}", kBegun));
  if (unsent > bytes.size()) throw Error{Kind::usage, "--unsent is for engines that hand connections on"};
  return {is_greeted, bytes.substr(unsent), bytes.substr(0, unsent)};
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-engine", "answer the requests that come on standard input, a socket");
  manager::Credential caller = manager::Credential::of_process();
  parser.group("Who asks");
  parser.option(
      "--user", "UID", [&](const std::string& text) { caller.uid = parse_id(text); },
      "the user (who runs this)");
  parser.option(
      "--user-group", "GID", [&](const std::string& text) { caller.gid = parse_id(text); },
      "the user's group (that of who runs this)");
  bool within_job = false;
  parser.flag("--within-job", within_job,
              "start nothing: these are the namespaces of a job, which ends with it");
  bool stays = false, is_greeted = false;
  std::optional<std::size_t> unsent;
  parser.flag("--stay", stays, "then answer others, whom the gate sends, while there are any");
  parser.group("Going on for another engine");
  parser.option(
      "--unsent", "BYTES",
      [&](const std::string& text) {
        unsent = parse_u64(text);
        if (!unsent) throw error(Kind::usage, "expected a number of bytes, got {}", quote(text));
      },
      "the connection is descriptor 3; 4 has what was not sent on it, so long, and then what was read");
  parser.flag("--greeted", is_greeted, "of which the greeting was answered");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const manager::StoreLocation location = manager::locate_store(common.store);
  manager::check_store(location.path);
  const SystemClock clock;
  manager::ProcessLauncher launcher;
  manager::Session session;
  session.store = location.path;
  session.caller = caller;
  session.clock = &clock;
  session.launcher = &launcher;
  session.leaves_starting = within_job;
  // What runs for others runs as them.
  const manager::Signatures signatures = manager::system_signatures();
  if (caller.uid != ::geteuid()) session.signatures = &signatures;
  UniqueFd socket{unsent ? kConnection : ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
  // Its other end does not wait where this one did not.
  ::fcntl(socket.get(), F_SETFL, 0);
  ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
  // Who takes no answer for so long is dropped.
  const timeval patience{60, 0};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)
    throw Error{Kind::usage, "standard input is no socket: commands of fq start this themselves"};
  // Nothing that is started, or that prints, speaks to who asks.
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(null.get(), STDOUT_FILENO);
  manager::Session others = session;
  door::attend(std::move(session), std::move(socket),
               unsent ? read_begun(*unsent, is_greeted) : door::Begun{});
  if (!stays || within_job) return 0;
  others.signatures = &signatures;
  door::receive_callers(others, [&](door::Handed handed) { hand_on(others, std::move(handed)); });
  return 0;
}

}  // namespace

int fq::tools::command::engine(int argc, char** argv) {
  return ::run(argc, argv);
}
