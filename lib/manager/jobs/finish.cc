#include "manager/jobs/finish.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "job/actions.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/pass/preemption.h"
#include "manager/site/drain.h"

namespace fq::manager {

FinishRequest collect_finish(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                             const meeting::ShellOutcome& outcome) {
  return {id, attempt, outcome.status, outcome.exceptions, outcome.t_finish, collect_guest(files, id)};
}

void finish_job(Change& change, const FinishRequest& request) {
  const job::Job& job = change.job(request.id);
  if (!job.started || job.attempt != request.attempt) return;
  const bool fatal =
      std::any_of(request.exceptions.begin(), request.exceptions.end(),
                  [](const document::Event& each) { return each.context.value("severity", 0) == 0; });
  const bool failed = request.status != 0 && !fatal;
  // What a preempted job does by itself in its time of grace counts if it succeeds.
  if (failed && job.state == job::State::run && job.preemption != job::Preemption::none)
    end_grace(change, request.id);
  if (failed && job.requeues) {
    import_perilog_output(change, request.guest, request.id, document::PerilogKind::prolog);
  } else {
    import_guest(change, request.guest, request.id, request.t_finish);
  }
  for (const document::Event& exception : request.exceptions) {
    if (exception.context.value("type", "") == meeting::kUnkillable) drain_unkillable(change, request.id);
    post(change, request.id, exception);
  }
  post(change, request.id, job::events::finish(request.t_finish, request.status));
}

}  // namespace fq::manager
