#include "manager/jobs/perilog.h"

#include <csignal>

#include <fmt/core.h>

#include "base/text.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/run/perilog.h"
#include "manager/run/start.h"
#include "manager/site/drain.h"
#include "meeting/outcome.h"

namespace fq::manager {

using document::PerilogConfig;
using document::PerilogKind;
namespace events = job::events;

namespace {

bool is_under_way(const job::Job& job, PerilogKind kind) {
  return (kind == PerilogKind::prolog ? job.prologs : job.epilogs) > 0;
}

// What was begun, in the words of its beginning: the configuration may be another one by now.
std::string description_of(Change& change, JobId id, PerilogKind kind) {
  std::string description;
  const std::string begin = fmt::format("{}-start", document::name(kind));
  for (const document::Event& event : document::decode_eventlog(full_eventlog(change, id))) {
    if (event.name == begin) description = event.context.value("description", "");
  }
  return description;
}

// Whether the job runs its tasks after it, or is pending anew.
bool goes_on(Change& change, const job::Job& job, const PerilogRequest& request) {
  if (request.kind != PerilogKind::prolog || job.state != job::State::run) return false;
  return request.outcome.status == 0 ||
         (!request.outcome.expired && perilog_of(change, job, PerilogKind::prolog).requeues);
}

document::Event finish_event(PerilogKind kind, double t, const std::string& description,
                             std::int32_t status) {
  return kind == PerilogKind::prolog ? events::prolog_finish(t, description, status)
                                     : events::epilog_finish(t, description, status);
}

void drain_nodes_of(Change& change, const job::Job& job, PerilogKind kind, const std::string& failure) {
  drain(change, notation::Idset::decode(job.ranks),
        fmt::format("{} of job {} failed: {}", document::name(kind), job.id, failure));
}

void finish_prolog(Change& change, JobId id, const meeting::PerilogOutcome& outcome,
                   const std::string& description) {
  const job::Job& job = change.job(id);
  const bool succeeded = outcome.status == 0;
  post(change, id, finish_event(PerilogKind::prolog, outcome.t_finish, description, outcome.status));
  // One that was canceled meanwhile is over.
  if (job.state != job::State::run) return;
  if (succeeded) return post(change, id, events::start(change.now()));
  if (outcome.expired)
    return post(change, id,
                events::exception(change.now(), meeting::kTimeLimit, 0, "resource allocation expired"));
  const PerilogConfig& config = perilog_of(change, job, PerilogKind::prolog);
  const std::string failure = fmt::format("{} {}", quote(description), outcome.note);
  if (config.drains) drain_nodes_of(change, job, PerilogKind::prolog, failure);
  if (config.requeues) return post(change, id, events::requeue(change.now(), change.take_number()));
  post(change, id, events::exception(change.now(), kPrologException, 0, failure));
}

void finish_epilog(Change& change, JobId id, const meeting::PerilogOutcome& outcome,
                   const std::string& description) {
  const job::Job& job = change.job(id);
  if (outcome.status != 0) {
    const std::string failure = fmt::format("{} {}", quote(description), outcome.note);
    if (perilog_of(change, job, PerilogKind::epilog).drains)
      drain_nodes_of(change, job, PerilogKind::epilog, failure);
    post(change, id, events::exception(change.now(), document::name(PerilogKind::epilog), 1, failure));
  }
  post(change, id, finish_event(PerilogKind::epilog, outcome.t_finish, description, outcome.status));
}

}  // namespace

PerilogRequest collect_perilog(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                               PerilogKind kind, const meeting::PerilogOutcome& outcome) {
  return {id, attempt, kind, outcome, collect_guest(files, id)};
}

void finish_perilog(Change& change, const PerilogRequest& request) {
  const job::Job& job = change.job(request.id);
  if (!is_under_way(job, request.kind) || job.attempt != request.attempt) return;
  // While a job goes on its files are read where they are.
  const bool succeeded = request.outcome.status == 0;
  if (job.requeues || (goes_on(change, job, request) && !succeeded)) {
    import_perilog_output(change, request.guest, request.id, request.kind);
  } else if (!goes_on(change, job, request)) {
    import_guest(change, request.guest, request.id, request.outcome.t_finish);
  }
  const std::string description = description_of(change, request.id, request.kind);
  if (request.kind == PerilogKind::prolog) {
    finish_prolog(change, request.id, request.outcome, description);
  } else {
    finish_epilog(change, request.id, request.outcome, description);
  }
}

void abandon_perilogs(Change& change, JobId id) {
  for (const PerilogKind kind : {PerilogKind::prolog, PerilogKind::epilog}) {
    while (is_under_way(change.job(id), kind))
      post(change, id, finish_event(kind, change.now(), description_of(change, id, kind), SIGKILL));
  }
}

std::optional<meeting::LaunchPlan> next_plan(Change& change, JobId id, std::uint32_t attempt) {
  const job::Job* job = change.find_job(id);
  if (job == nullptr || !job::wants_shell(*job) || job->attempt != attempt) return std::nullopt;
  return launch_plan(change, id);
}

}  // namespace fq::manager
