#include "manager/jobs/cancel.h"

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "job/events.h"
#include "manager/core/bulk.h"
#include "manager/core/permission.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "manager/look/select.h"

namespace fq::manager {
namespace {

/// RFC 21: exceptions of severity 0 end a job, those of 7 weigh least.
constexpr std::uint8_t kMildest = 7;

// Jobs that were looked for may have ended since, also by the end of one before them.
bool is_still_active(Change& change, JobId id) {
  const job::Job* job = change.find_job(id);
  return job != nullptr && job::is_active(job->state);
}

void raise_one(Change& change, JobId id, const RaiseRequest& request) {
  const job::Job& job = change.job(id);
  require_access(change, job);
  require_active(job);
  if (request.dry_run) return;
  post(change, id,
       job::events::exception(change.now(), request.type, request.severity, request.note,
                              change.caller().uid));
}

}  // namespace

RaiseReply raise(const Session& session, const RaiseRequest& request) {
  if (request.severity > kMildest)
    throw error(Kind::usage, "expected a severity from 0, which ends the job, to {}, got {}", kMildest,
                request.severity);
  if (!request.ids.empty() + !request.found.empty() + request.selection.has_value() > 1)
    throw Error{Kind::combination, "jobs are given by their ids or selected, not both"};
  const bool word = !request.type.empty() && request.type.find_first_of(" \t\n=") == std::string::npos;
  if (!word)
    throw error(Kind::usage, "{} is not a type of exception: expected one word", quote(request.type));
  // The reserve is for what ends.
  const bool ends_jobs = request.severity == 0;
  const FullDisk full = ends_jobs ? FullDisk::use_reserve : FullDisk::refuse;
  if (!request.selection) {
    const bool named = request.found.empty();
    const auto act = [&](Change& change, JobId id) -> std::optional<JobId> {
      if (!named && !is_still_active(change, id)) return std::nullopt;
      raise_one(change, id, request);
      return id;
    };
    auto [done, refusals] = act_on_jobs<JobId>(
        session,
        [&](Change& change) {
          if (!ends_jobs) require_share(change);
          return named ? request.ids : request.found;
        },
        act, full);
    return {done.size(), std::move(done), std::move(refusals)};
  }
  const auto find = [&](Change& change) {
    std::vector<JobId> ids;
    if (!ends_jobs) require_share(change);
    Rights rights(change.transaction(), change.caller());
    visit_jobs(change.transaction(), *request.selection, [&](job::Job&& job) {
      if (job::is_active(job.state) && rights.may_act(job)) ids.push_back(job.id);
      return true;
    });
    return ids;
  };
  struct Raised {};
  const auto act = [&](Change& change, JobId id) -> std::optional<Raised> {
    if (!is_still_active(change, id)) return std::nullopt;
    raise_one(change, id, request);
    return Raised{};
  };
  auto [done, refusals] = act_on_jobs<Raised>(session, find, act, full);
  return {done.size(), {}, std::move(refusals)};
}

}  // namespace fq::manager
