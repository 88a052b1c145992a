// fq-fsck: checks a store.

#include <functional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/spool.h"
#include "commands.h"
#include "frame/as_store_owner.h"
#include "frame/store_session.h"
#include "manager/check/fsck.h"
#include "manager/check/repair.h"
#include "manager/engine/signatures.h"
#include "manager/engine/store_check.h"

namespace {

using namespace fq;

// Findings wait until the store is not locked any more: their reader may be slow.
class Findings {
 public:
  manager::Report report() {
    return [this](const std::string& finding) {
      spool_.text() += printable(finding) + '\n';
      spool_.relieve();
    };
  }
  void print() {
    spool_.visit([](std::string_view piece) { cli::print(piece); });
    spool_.clear();
  }

 private:
  cli::Spool spool_;
};

int check(const cli::CommonOptions& common, bool repair) {
  const tools::StoreSession store("fq-fsck", common);
  Findings findings;
  // What was found is told, also where it goes no further.
  const auto telling = [&](const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      findings.print();
      throw;
    }
    findings.print();
  };
  // What jobs of the store that users share were signed for is verified.
  manager::Session session = store.local();
  const manager::Signatures signatures = manager::system_signatures();
  if (session.store == manager::kSystemStore) session.signatures = &signatures;
  manager::FsckReply reply;
  const auto examine = [&] { reply = manager::fsck(session, findings.report()); };
  telling(examine);
  if (repair && reply.findings > 0) {
    const std::string aside = manager::aside_directory(session);
    cli::print(
        fmt::format("repairing: what is derived is made anew from the jobs' documents; what has to be "
                    "given up is put into {}\n",
                    quote(aside)));
    telling([&] { manager::repair(session, aside, findings.report()); });
    telling(examine);
  }
  cli::print(fmt::format("checked {}: {}\n", counted(reply.jobs, "job"),
                         reply.findings == 0 ? "sound" : counted(reply.findings, "finding")));
  return reply.findings == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-fsck",
                           "check a store: its files, and that its records are what its documents give");
  bool repair = false;
  parser.example("fq fsck");
  parser.example("fq fsck --repair");
  parser.group("What to do");
  parser.flag("--repair", repair, "repair what is found; say what is given up");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  return tools::as_store_owner("fq-fsck", common, [&] { return check(common, repair); });
}

}  // namespace

int fq::tools::command::fsck(int argc, char** argv) {
  return ::run(argc, argv);
}
