// fq-tick: one empty transaction. Repairs jobs whose shell died, releases jobs whose time has come,
// schedules. Run by the waker, or by cron; with --compact, by writers that found many small files; with
// --consult, by writers that found schedulers to be asked; with --end, by the shell of a batch job whose
// instance is to be kept; with --expiration, by that of one whose end was moved.

#include <charconv>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/jobs/job_selection.h"
#include "commands.h"
#include "frame/store_session.h"
#include "manager/engine/maintenance.h"
#include "manager/pass/consultation.h"
#include "manager/site/enclosed_end.h"
#include "manager/site/instances.h"
#include "meeting/waker.h"
#include "request/end.h"
#include "request/priority.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-tick", "repair what died, release what is due, schedule");
  bool compact = false, consult = false, end = false;
  std::optional<std::string> expiration;
  parser.group("What to do");
  parser.flag("--compact", compact, "only merge small files of the store and free unused ones");
  parser.flag("--consult", consult, "only ask schedulers that are programs");
  parser.flag("--end", end, "cancel all jobs that are active");
  parser.option("--expiration", "TIME", expiration, "only note that this instance of a job ends then");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const tools::StoreSession store("fq-tick", common);
  if ((compact || consult || expiration) && store.is_behind_gate())
    throw error(Kind::permission, "{} is for the user whom the store belongs to",
                compact ? "--compact" : (consult ? "--consult" : "--expiration"));
  if (end) {
    request::RaiseRequest request;
    request.note = "the instance ended";
    request.selection.emplace().states = cli::active_states();
    static_cast<void>(store.get().ask(request));
    return 0;
  }
  if (store.is_behind_gate()) {
    static_cast<void>(store.get().ask(request::UpdatePrioritiesRequest{}));
    return 0;
  }
  manager::Session session = store.local();
  if (compact) {
    manager::maintain(session);
    return 0;
  }
  if (expiration) {
    double time = 0;
    const auto [rest, failure] =
        std::from_chars(expiration->data(), expiration->data() + expiration->size(), time);
    if (failure != std::errc{} || rest != expiration->data() + expiration->size() ||
        !(time >= 0 && time < 1e11))
      throw error(Kind::usage, "--expiration: expected seconds since the epoch, got {}", quote(*expiration));
    manager::move_enclosed_end(session, time);
    return 0;
  }
  if (consult) {
    manager::consult_schedulers(session);
    return 0;
  }
  session.starts_whatever_it_inherits = true;
  const auto tick = [](const manager::Session& of) {
    manager::transact(
        of, [](manager::Change&) {}, manager::FullDisk::use_reserve);
  };
  tick(session);
  // After a boot the instances in it have no wakers either; else these do it.
  for (const manager::Instance& instance : manager::standing_instances(session)) {
    if (!meeting::waker_alive(instance.session.store)) tick(instance.session);
  }
  return 0;
}

}  // namespace

int fq::tools::command::tick(int argc, char** argv) {
  return ::run(argc, argv);
}
