#include "manager/adopt.h"

#include <vector>

#include "exec/leftovers.h"
#include "exec/shell.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/change.h"
#include "manager/finish.h"
#include "manager/post.h"
#include "manager/store_check.h"
#include "records/keys.h"
#include "records/leftovers.h"

namespace fq::manager {
namespace {

// The wait status of a shell that was killed: what `finish` says of a job whose shell is not ours.
constexpr std::int32_t kKilledStatus = 9;

std::vector<JobId> jobs_with_shell(Change& change) {
  std::vector<JobId> ids;
  for (const job::State state : {job::State::run, job::State::cleanup}) {
    const auto at = change.transaction().scan_prefix(store::Family::index, records::key::state_prefix(state));
    for (; at->valid(); at->next()) {
      const JobId id = records::key::indexed_job(at->key());
      if (job::wants_shell(change.job(id))) ids.push_back(id);
    }
  }
  return ids;
}

// Whether it has failed: a shell may have noted its outcome.
bool end_job(Change& change, JobId id) {
  const exec::JobFiles files = change.files();
  // Before the commit: whoever finds the job ended removes the directories that are recorded.
  exec::forget_places(files, id);
  const std::uint32_t attempt = change.job(id).attempt;
  if (const auto outcome = exec::recorded_outcome(files, id, attempt)) {
    finish_job(change, collect_finish(files, id, attempt, *outcome));
    return false;
  }
  records::erase_leftovers(change.transaction(), id);
  import_guest(change, collect_guest(files, id), id);
  post(change, id, job::events::exception(change.now(), "exec", 0, "the store was copied while the job ran"));
  post(change, id, job::events::finish(change.now(), kKilledStatus));
  return true;
}

}  // namespace

std::uint64_t adopt(const Session& session) {
  std::uint64_t failed = 0;
  Session adopting = session;
  adopting.adopts = [&failed](Change& change) {
    if (!is_copy(change.session().store, change.transaction())) return;
    failed = 0;
    for (const JobId id : jobs_with_shell(change)) failed += end_job(change, id) ? 1 : 0;
  };
  transact(adopting, [](Change&) {});
  return failed;
}

}  // namespace fq::manager
