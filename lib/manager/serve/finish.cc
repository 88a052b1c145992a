#include "manager/serve/finish.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "job/actions.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/serve/drain.h"

namespace fq::manager {

FinishRequest collect_finish(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                             const meeting::ShellOutcome& outcome) {
  return {id, attempt, outcome.status, outcome.exceptions, outcome.t_finish, collect_guest(files, id)};
}

void finish_job(Change& change, const FinishRequest& request) {
  const job::Job& job = change.job(request.id);
  if (!job::wants_shell(job) || job.attempt != request.attempt) return;
  import_guest(change, request.guest, request.id, request.t_finish);
  for (const document::Event& exception : request.exceptions) {
    if (exception.context.value("type", "") == meeting::kUnkillable) drain_unkillable(change, request.id);
    post(change, request.id, exception);
  }
  post(change, request.id, job::events::finish(request.t_finish, request.status));
}

}  // namespace fq::manager
