// fq-engine: answers the requests of one command, which asks on a socket. It is what the gate of a shared
// store starts, as the user whom the store belongs to; who asks is said by the gate.

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "commands.h"
#include "door/attend.h"
#include "manager/engine/launcher.h"
#include "manager/engine/signatures.h"
#include "manager/engine/store_check.h"
#include "manager/site/initialize.h"

namespace {

using namespace fq;

std::uint32_t parse_id(const std::string& text) {
  const auto number = parse_u64(text);
  if (!number || *number >= UINT32_MAX) throw error(Kind::usage, "expected an id, got {}", quote(text));
  return static_cast<std::uint32_t>(*number);
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
  UniqueFd socket{::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)};
  // Who takes no answer for so long is dropped.
  const timeval patience{60, 0};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)
    throw Error{Kind::usage, "standard input is no socket: commands of fq start this themselves"};
  // Nothing that is started, or that prints, speaks to who asks.
  const UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(null.get(), STDOUT_FILENO);
  door::attend(std::move(session), std::move(socket));
  return 0;
}

}  // namespace

int fq::tools::command::engine(int argc, char** argv) {
  return ::run(argc, argv);
}
