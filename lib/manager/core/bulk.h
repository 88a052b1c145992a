// Requests about several jobs, in which each job is accepted or refused on its own.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "manager/core/change.h"
#include "manager/core/permission.h"
#include "request/refusal.h"

namespace fq::manager {

using request::BulkReply;
using request::is_about_the_job;
using request::Refusal;

/// Calls `act` for every id. What it throws refuses that job alone, unless it is not the job's fault (the
/// disk, the database, fq itself): that ends the request. REQUIRES that `act` throws before it has posted.
[[nodiscard]] std::vector<Refusal> for_each_job(std::span<const JobId> ids,
                                                const std::function<void(JobId)>& act);

/// Puts the job in front of the message, unless that names it: of several jobs a user must know which.
void name_job(Refusal& refusal);

/// Acts on the jobs that `find` names: in one transaction, or where that would grow beyond store::kChunkBytes
/// in several under one tenure of the lock. `act` returns what to reply of a job, or nothing to pass it over;
/// what it throws refuses that job, as with for_each_job. `accepted` is told of those that were not passed
/// over, in the transaction that they were done in. An error that ends the request says how far it came.
template <typename Done>
[[nodiscard]] BulkReply<Done> act_on_jobs(
    const Session& session, const std::function<std::vector<JobId>(Change&)>& find,
    const std::function<std::optional<Done>(Change&, JobId)>& act, FullDisk full = FullDisk::refuse,
    const std::function<void(Change&, std::span<const JobId>)>& accepted = {}) {
  BulkReply<Done> reply;
  std::vector<JobId> ids;
  struct Position {
    std::size_t job = 0, done = 0, refusals = 0;
  };
  Position stored, at;
  const auto step = [&](Change& change) {
    at = stored;
    reply.done.erase(reply.done.begin() + static_cast<std::ptrdiff_t>(at.done), reply.done.end());
    reply.refusals.erase(reply.refusals.begin() + static_cast<std::ptrdiff_t>(at.refusals),
                         reply.refusals.end());
    if (at.job == 0) {
      ids = find(change);
      settle_access(change, ids);
    }
    std::vector<JobId> done_now;
    for (; at.job < ids.size() && !change.is_large(); ++at.job) {
      auto refusals = for_each_job({&ids[at.job], 1}, [&](JobId id) {
        auto done = act(change, id);
        if (!done) return;
        reply.done.push_back(std::move(*done));
        if (accepted) done_now.push_back(id);
      });
      for (Refusal& refusal : refusals) {
        if (ids.size() > 1) name_job(refusal);
        reply.refusals.push_back(std::move(refusal));
      }
    }
    if (!done_now.empty()) accepted(change, done_now);
    at.done = reply.done.size();
    at.refusals = reply.refusals.size();
    return at.job < ids.size();
  };
  try {
    transact_steps(session, {step, [&] { stored = at; }}, full);
  } catch (const Error& failure) {
    if (stored.job == 0) throw;
    throw failure.within(fmt::format("after {} of {} jobs", stored.job, ids.size()));
  }
  return reply;
}

}  // namespace fq::manager
