#include "manager/run/start.h"

#include "base/error.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "manager/run/allocation.h"
#include "manager/run/perilog.h"
#include "records/keys.h"
#include "records/signed_requests.h"

namespace fq::manager {

using store::Family;
namespace events = job::events;

namespace {

std::string require_document(Change& change, const std::string& key) {
  auto text = change.transaction().get(Family::kvs, key);
  if (!text) throw error(Kind::internal, "{} is missing", key);
  return *std::move(text);
}

}  // namespace

meeting::LaunchPlan launch_plan(Change& change, JobId id) {
  const job::Job& job = change.job(id);
  meeting::LaunchPlan plan;
  plan.id = id;
  plan.attempt = job.attempt;
  plan.userid = job.userid;
  plan.jobspec = effective_jobspec_text(change, id);
  plan.R = require_document(change, records::key::r(id));
  plan.time = change.now();
  plan.boot_time = change.moment().boot_time_of(change.now());
  plan.expiration = job.expiration;
  plan.boot_id = job.boot_id;
  plan.baseline = change.info().baseline;
  const document::ExecConfig& exec = change.exec_config();
  plan.kill_grace_s = exec.kill_timeout_s.value_or(plan.kill_grace_s);
  plan.term_signal = exec.term_signal.value_or(plan.term_signal);
  plan.kill_signal = exec.kill_signal.value_or(plan.kill_signal);
  plan.max_kill_count = exec.max_kill_count.value_or(plan.max_kill_count);
  plan.prolog = perilog_plan(change, job, document::PerilogKind::prolog);
  plan.epilog = perilog_plan(change, job, document::PerilogKind::epilog);
  if (job.finished) plan.status = job.wait_status;
  if (auto own = records::read_signed_request(change.transaction(), id)) {
    plan.signed_start = meeting::SignedStart{std::move(own->store), std::move(own->J), own->index,
                                             std::move(own->values), std::move(own->proof)};
    plan.signed_start->number = change.info().epoch_ms;
    plan.most_output = bytes_left(change, job.userid);
  }
  return plan;
}

void start_job(Change& change, JobId id, const document::ResourceSet& r, const std::string& annotations) {
  // What the last run of one that was requeued left there is not its own any more.
  if (change.job(id).attempt > 0 && !change.session().store.empty()) change.files().remove_data(id);
  allocate(change, id, r);
  post(change, id, events::alloc(change.now(), annotations, change.boot()));
  if ((change.job(id).flags & job::kFlagDebug) != 0) {
    post(change, id, events::debug(change.now(), "start-request"));
  }
  const auto prolog = perilog_start(change, change.job(id), document::PerilogKind::prolog);
  post(change, id, prolog ? *prolog : events::start(change.now()));
  change.effects().starts.push_back(id);
}

bool restart_job(Change& change, JobId id, bool again) {
  if (change.room_to_start() == 0) return false;
  if (again) post(change, id, events::shell_restart(change.now(), change.job(id).attempt + 1, change.boot()));
  change.effects().starts.push_back(id);
  return true;
}

}  // namespace fq::manager
