#include "manager/look/follow.h"

#include "base/error.h"
#include "manager/core/hidden_jobs.h"
#include "manager/look/query.h"
#include "manager/look/why.h"

namespace fq::manager {
namespace {

FollowReply look(const store::Reader& reader, const Session& session, const FollowRequest& request) {
  const meeting::JobFiles files = session.files();
  using Eventlog = FollowRequest::Eventlog;
  FollowReply reply;
  Rights rights(reader, session.caller);
  reply.job = rights.require_job(request.id);
  hide_jobs_in(rights, reply.job);
  const job::Job& job = reply.job;
  if (request.eventlog != Eventlog::none || !request.logs.empty() || request.jobspec)
    rights.require_access(job);
  const bool ended = job.state == job::State::inactive;
  if (request.eventlog == Eventlog::always ||
      (request.eventlog == Eventlog::with_exception && job.exception.occurred)) {
    reply.eventlog = eventlog_without_hidden_jobs(rights, job_document(reader, files, job.id, "eventlog"));
  }
  for (const request::FollowedLog& log : request.logs) {
    const bool open = log.open_run > 0 && log.open_run == job.t_run;
    auto document = ended && !open ? open_guest(reader, files, job.id, log.name) : std::nullopt;
    reply.logs.emplace_back();
    if (document) reply.logs.back() = stream_of(*std::move(document));
  }
  if (request.jobspec && !ended) reply.jobspec = job_document(reader, files, job.id, "jobspec");
  if (request.count_reasons > 0 && job::is_pending(job.state)) {
    reply.reasons = why(reader, session, job.id, request.count_reasons);
  }
  return reply;
}

}  // namespace

FollowReply follow_job(const Session& session, const FollowRequest& request) {
  constexpr std::size_t kMostLogs = 16;  // each may hold a file open
  if (request.logs.size() > kMostLogs)
    throw error(Kind::refused, "{} logs at once are more than {}", request.logs.size(), kMostLogs);
  FollowReply reply;
  query_repaired(session, [&](const store::Reader& reader) { reply = look(reader, session, request); });
  return reply;
}

}  // namespace fq::manager
