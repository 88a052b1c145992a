// fq-door: what ssh runs for a command on another machine: it leads to the store that commands have here, by
// the gate where that is a shared one, and signs and says what jobs take from a login.

#include <vector>

#include <sys/socket.h>

#include "base/error.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/submit/surroundings.h"
#include "commands.h"
#include "door/frame.h"
#include "frame/store_session.h"
#include "gate/copy.h"
#include "manager/site/initialize.h"
#include "process/start/connected_child.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"
#include "request/codec.h"

namespace {

using namespace fq;

// The socket of what answers for the store here.
UniqueFd open_store(const cli::CommonOptions& common, bool create) {
  const tools::StoreSession store("fq-door", common,
                                  create ? tools::MissingStore::create : tools::MissingStore::refuse);
  return process::start_connected({process::find_program("fq-engine"), "--store", store.path()});
}

// Gives the error to who asks.
void refuse(const Error& failure) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw failure;
  const UniqueFd copied{ends[0]};
  door::FrameChannel channel{UniqueFd{ends[1]}};
  channel.send('E', request::encode_error(failure));
  channel.flush();
  ::shutdown(channel.input(), SHUT_WR);
  gate::copy_until_over(copied.get());
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  bool create = false, surroundings = false, imp = false;
  cli::OptionParser parser("fq-door", "lead commands of another machine to the store here",
                           {"[ARG...]", 0, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.group("What is wanted");
  parser.flag("--create", create, "make the user's store where there is none");
  parser.flag("--surroundings", surroundings, "print what jobs take from where they are submitted");
  parser.flag("--imp", imp, "run fq-imp with these arguments");
  cli::add_common_options(parser, common);
  std::vector<std::string> operands = parser.parse(argc, argv);
  common.host.reset();
  if (!imp && !operands.empty()) throw Error{Kind::usage, "arguments go with --imp"};
  if (surroundings) {
    cli::print(cli::encode_surroundings(cli::capture_surroundings()));
    return 0;
  }
  if (imp) {
    operands.insert(operands.begin(), "fq-imp");
    process::become(process::find_program("fq-imp"), operands);
  }
  try {
    if (const std::string gate = tools::gate_to(manager::locate_store(common.store).path); !gate.empty())
      process::become(gate, std::vector<std::string>{"fq-gate"});
    const UniqueFd answers = open_store(common, create);
    gate::copy_until_over(answers.get());
  } catch (const Error& failure) {
    refuse(failure);
  }
  return 0;
}

}  // namespace

int fq::tools::command::door(int argc, char** argv) {
  return ::run(argc, argv);
}
