#include "manager/run/housekeeping.h"

#include "manager/core/post.h"
#include "manager/run/perilog.h"

namespace fq::manager {

bool begin_housekeeping(Change& change, const job::Job& job) {
  const document::PerilogConfig& config = perilog_of(change, job, document::PerilogKind::housekeeping);
  if (config.command.empty()) return false;
  records::Housekeeping housekeeping;
  housekeeping.id = change.take_id();
  housekeeping.job = job.id;
  housekeeping.job_attempt = job.attempt;
  housekeeping.userid = job.userid;
  if (job.preemption != job::Preemption::none) housekeeping.preempted_by = job.preempted_by;
  housekeeping.jobspec = effective_jobspec_text(change, job.id);
  housekeeping.R = change.resources(job.id).encode();
  if (job.finished) housekeeping.status = job.wait_status;
  housekeeping.what = config;
  housekeeping.boot_id = change.boot();
  housekeeping.t_start = change.now();
  records::write_housekeeping(change.transaction(), housekeeping);
  start_housekeeping(change, housekeeping.id);
  return true;
}

void start_housekeeping(Change& change, JobId id) {
  if (change.room_to_start() == 0) {
    change.effects().pass_unfinished = true;
  } else {
    change.effects().housekeepings.push_back(id);
  }
}

meeting::LaunchPlan housekeeping_plan(Change& change, const records::Housekeeping& housekeeping) {
  meeting::LaunchPlan plan;
  plan.id = housekeeping.id;
  plan.of = housekeeping.job;
  plan.attempt = housekeeping.attempt;
  plan.userid = housekeeping.userid;
  plan.jobspec = housekeeping.jobspec;
  plan.R = housekeeping.R;
  plan.time = change.now();
  plan.boot_time = change.moment().boot_time_of(change.now());
  plan.boot_id = housekeeping.boot_id;
  plan.baseline = change.info().baseline;
  plan.status = housekeeping.status;
  plan.housekeeping = meeting::PerilogPlan{housekeeping.what.command, housekeeping.what.timeout_s,
                                           housekeeping.what.kill_timeout_s};
  return plan;
}

}  // namespace fq::manager
