#include "manager/cancel.h"

#include <utility>

#include "base/error.h"
#include "job/events.h"
#include "manager/permission.h"
#include "manager/post.h"

namespace fq::manager {
namespace {

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
  if (!request.selection) {
    const auto act = [&](Change& change, JobId id) -> std::optional<JobId> {
      raise_one(change, id, request);
      return id;
    };
    auto [done, refusals] = act_on_jobs<JobId>(
        session, [&](Change&) { return request.ids; }, act, FullDisk::use_reserve);
    return {done.size(), std::move(done), std::move(refusals)};
  }
  const auto find = [&](Change& change) {
    std::vector<JobId> ids;
    visit_jobs(change.transaction(), *request.selection, [&](job::Job&& job) {
      if (job::is_active(job.state) && may_act(change.caller(), change.info().owner, job))
        ids.push_back(job.id);
      return true;
    });
    return ids;
  };
  struct Raised {};
  const auto act = [&](Change& change, JobId id) -> std::optional<Raised> {
    // One job's end may have ended others of the selection.
    if (!job::is_active(change.job(id).state)) return std::nullopt;
    raise_one(change, id, request);
    return Raised{};
  };
  auto [done, refusals] = act_on_jobs<Raised>(session, find, act, FullDisk::use_reserve);
  return {done.size(), {}, std::move(refusals)};
}

}  // namespace fq::manager
