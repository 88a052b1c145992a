#include "manager/start.h"

#include <algorithm>
#include <set>

#include "base/attempt.h"
#include "base/clock.h"
#include "base/error.h"
#include "exec/control.h"
#include "exec/liveness.h"
#include "exec/process_tree.h"
#include "exec/shell.h"
#include "exec/waker.h"
#include "job/actions.h"
#include "job/apply.h"
#include "job/events.h"
#include "manager/drain.h"
#include "manager/finish.h"
#include "manager/post.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;
namespace events = job::events;

namespace {

// The wait status of a shell that was killed: what `finish` says of a job whose shell is gone.
constexpr std::int32_t kKilledStatus = 9;

std::string require_document(Change& change, const std::string& key) {
  auto text = change.transaction().get(Family::kvs, key);
  if (!text) throw error(Kind::internal, "{} is missing", key);
  return *std::move(text);
}

// Plans the shell of the job's current attempt; it is started after the commit.
void plan_shell(Change& change, JobId id) {
  const job::Job& job = change.job(id);
  exec::LaunchPlan plan;
  plan.id = id;
  plan.attempt = job.attempt;
  plan.userid = job.userid;
  plan.jobspec = effective_jobspec_text(change, id);
  plan.R = require_document(change, records::key::r(id));
  plan.time = change.now();
  plan.boot_time = change.session().clock->boot_time();
  plan.expiration = job.expiration;
  plan.boot_id = job.boot_id;
  plan.baseline = change.info().baseline;
  const document::ExecConfig& exec = change.exec_config();
  plan.kill_grace_s = exec.kill_timeout_s.value_or(plan.kill_grace_s);
  plan.term_signal = exec.term_signal.value_or(plan.term_signal);
  plan.kill_signal = exec.kill_signal.value_or(plan.kill_signal);
  plan.max_kill_count = exec.max_kill_count.value_or(plan.max_kill_count);
  change.effects().starts.push_back({std::move(plan), exec::take_alive(change.files(), id)});
}

std::vector<JobId> jobs_with_shell(const store::Reader& reader) {
  std::vector<JobId> ids;
  for (const job::State state : {job::State::run, job::State::cleanup}) {
    for (const auto at = reader.scan_prefix(Family::index, records::key::state_prefix(state)); at->valid();
         at->next()) {
      ids.push_back(records::key::indexed_job(at->key()));
    }
  }
  return ids;
}

void fail_lost_job(Change& change, const job::Job& job, std::string_view note) {
  const JobId id = job.id;
  post(change, id, events::exception(change.now(), "exec", 0, note));
  post(change, id, events::finish(change.now(), kKilledStatus));
}

void repair(Change& change, const job::Job& job) {
  const exec::JobFiles files = change.files();
  const JobId id = job.id;
  const bool same_boot = job.boot_id == boot_id();
  if (const auto outcome = exec::recorded_outcome(files, id, job.attempt)) {
    return finish_job(change, collect_finish(files, id, job.attempt, *outcome));
  }
  if (job.state == job::State::run && same_boot && !exec::any_task_started(files, id, job.attempt)) {
    const bool begun = !exec::has_not_begun(files, id);
    if (!begun || job.attempt < kMaxAttempts) {
      if (!change.has_room_to_start()) {
        change.effects().pass_unfinished = true;
        return;
      }
      if (begun) post(change, id, events::shell_restart(change.now(), job.attempt + 1, boot_id()));
      return plan_shell(change, id);
    }
  }
  if (same_boot && !exec::kill_job_processes(files, id, job.attempt).survivors.empty() &&
      change.exec_config().max_kill_count) {
    drain_unkillable(change, id);
  }
  import_guest(change, collect_guest(files, id), id);
  fail_lost_job(change, job, same_boot ? "the job shell was killed" : "the machine was restarted");
}

}  // namespace

void start_job(Change& change, JobId id, const document::ResourceSet& r, const std::string& annotations) {
  change.transaction().put(Family::kvs, records::key::r(id), r.encode());
  change.pool().allocate(r);
  job::assign(change.entry(id).now, r);
  post(change, id, events::alloc(change.now(), annotations, boot_id()));
  if ((change.job(id).flags & job::kFlagDebug) != 0) {
    post(change, id, events::debug(change.now(), "start-request"));
  }
  post(change, id, events::start(change.now()));
  plan_shell(change, id);
}

void repair_lost_shells(Change& change) {
  const exec::JobFiles files = change.files();
  const std::vector<JobId> running = jobs_with_shell(change.transaction());
  for (const JobId id : running) {
    const job::Job& job = change.job(id);
    if (!job::wants_shell(job)) continue;
    if (!exec::shell_alive(files, id)) {
      repair(change, job);
    } else if (job::wants_kill(job)) {
      if (!exec::cancel_ordered(files, id)) change.effects().cancels.push_back(id);
    } else if (job.expiration_moved && !exec::expiration_ordered(files, id, job.expiration)) {
      change.effects().expirations.push_back({id, job.expiration});
    }
  }
  // Signs of life of jobs that were never committed as running: who was to start them died before.
  const std::set<JobId> expected(running.begin(), running.end());
  for (const JobId id : files.alive_ids()) {
    if (expected.contains(id) || exec::shell_alive(files, id)) continue;
    attempt([&] { exec::remove_alive(files, id); });
  }
  // Guest directories that the end of their job did not come to remove.
  for (const JobId id : files.guest_ids()) {
    if (!expected.contains(id)) attempt([&] { files.remove_guest(id); });
  }
}

bool has_lost_shell(const store::Reader& reader, const exec::JobFiles& files, std::size_t limit) {
  std::vector<JobId> ids = jobs_with_shell(reader);
  ids.resize(std::min(ids.size(), limit));
  return std::any_of(ids.begin(), ids.end(), [&](JobId id) {
    if (exec::shell_alive(files, id)) return false;
    return !exec::has_not_begun(files, id) || !exec::waker_alive(files.store());
  });
}

}  // namespace fq::manager
