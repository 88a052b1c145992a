#include "manager/engine/adopt.h"

#include "job/actions.h"
#include "job/events.h"
#include "manager/core/change.h"
#include "manager/core/post.h"
#include "manager/engine/lost_shells.h"
#include "manager/engine/store_check.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/perilog.h"
#include "manager/run/allocation.h"
#include "meeting/leftovers.h"
#include "meeting/outcome.h"
#include "records/housekeeping.h"
#include "records/leftovers.h"

namespace fq::manager {
namespace {

// Whether it has failed: a shell may have noted its outcome.
bool end_job(Change& change, JobId id) {
  const meeting::JobFiles files = change.files();
  // Before the commit: whoever finds the job ended removes the directories that are recorded.
  meeting::forget_places(files, id);
  if (change.job(id).epilogs > 0) {
    // Its tasks are over, and the original's epilog is not run here.
    records::erase_leftovers(change.transaction(), id);
    abandon_perilogs(change, id);
    return false;
  }
  const std::uint32_t attempt = change.job(id).attempt;
  if (const auto outcome = meeting::recorded_outcome(files, id, attempt)) {
    finish_job(change, collect_finish(files, id, attempt, *outcome));
    return false;
  }
  records::erase_leftovers(change.transaction(), id);
  import_guest(change, collect_guest(files, id), id, change.now());
  post(change, id, job::events::exception(change.now(), "exec", 0, "the store was copied while the job ran"));
  if (change.job(id).started) post(change, id, job::events::finish(change.now(), kKilledStatus));
  abandon_perilogs(change, id);
  return true;
}

}  // namespace

std::uint64_t adopt(const Session& session) {
  std::uint64_t failed = 0;
  Session adopting = session;
  adopting.adopts = [&failed](Change& change) {
    if (!is_copy(change.session().store, change.transaction())) return;
    failed = 0;
    for (const JobId id : running_jobs(change.transaction())) {
      if (job::wants_shell(change.job(id)) && end_job(change, id)) ++failed;
    }
    // The original sees to its nodes itself.
    for (const records::Housekeeping& each : records::read_housekeepings(change.transaction())) {
      meeting::forget_places(change.files(), each.id);
      records::erase_leftovers(change.transaction(), each.id);
      release_housekeeping(change, each);
      change.effects().ended.push_back(each.id);
    }
  };
  transact(adopting, [](Change&) {});
  return failed;
}

}  // namespace fq::manager
