#include "manager/look/watch.h"

#include <algorithm>

#include "base/error.h"
#include "manager/core/hidden_jobs.h"
#include "manager/look/query.h"
#include "manager/run/guest_data.h"
#include "records/job_table.h"
#include "records/keys.h"

namespace fq::manager {
namespace {

using notation::JobId;
using store::Family;

// Adds the indexes of the watched jobs among those that the cursor comes to.
void add_watched(const WatchRequest& request, store::Cursor& at, std::vector<std::size_t>& indexes) {
  for (; at.valid(); at.next()) {
    const JobId id = records::key::indexed_job(at.key());
    const auto found = std::ranges::lower_bound(request.jobs, id, {}, &WatchedJob::id);
    if (found != request.jobs.end() && found->id == id) {
      indexes.push_back(static_cast<std::size_t>(found - request.jobs.begin()));
    }
  }
}

// Those that run, and those that ended since.
std::vector<std::size_t> find_changed(const store::Reader& reader, const WatchRequest& request,
                                      double ended_since) {
  std::vector<std::size_t> indexes;
  for (const job::State state : {job::State::run, job::State::cleanup}) {
    add_watched(request, *reader.scan_prefix(Family::index, records::key::state_prefix(state)), indexes);
  }
  const std::string ended = records::key::state_prefix(job::State::inactive);
  add_watched(request,
              *reader.scan(Family::index, records::key::state(job::State::inactive, ended_since, JobId{}),
                           store::prefix_end(ended)),
              indexes);
  return indexes;
}

StoredLog read_stored(const store::Reader& reader, JobId id, std::string_view name) {
  if (auto value = reader.get(Family::kvs, records::key::guest(id, name))) return {std::move(value), false};
  return {std::nullopt, find_kept_file(reader, id, name).has_value()};
}

// A job that the caller does not see is none.
std::optional<job::Job> find_seen(const store::Reader& reader, Rights& rights, JobId id) {
  auto job = records::find_job(reader, id);
  if (job && !rights.sees(job->userid)) job.reset();
  if (job) hide_jobs_in(rights, *job);
  return job;
}

WatchNews news_of(const store::Reader& reader, const Session& session, Rights& rights,
                  const WatchRequest& request, std::size_t index) {
  const WatchedJob& watched = request.jobs[index];
  WatchNews news{index, find_seen(reader, rights, watched.id), {}, {}, {}};
  if (!news.job) return news;
  if (watched.eventlog || watched.exec || watched.output) rights.require_access(*news.job);
  const bool ended = news.job->state == job::State::inactive;
  if (watched.eventlog)
    news.eventlog =
        eventlog_without_hidden_jobs(rights, job_document(reader, session.files(), watched.id, "eventlog"));
  if (ended && watched.exec) news.exec = read_stored(reader, watched.id, "exec.eventlog");
  if (ended && watched.output) news.output = read_stored(reader, watched.id, "output");
  return news;
}

WatchReply look(const store::Reader& reader, const Session& session, const WatchRequest& request) {
  WatchReply reply;
  Rights rights(reader, session.caller);
  if (!request.ended_since) {
    if (const auto first = find_seen(reader, rights, request.jobs.front().id))
      reply.t_submit = first->t_submit;
  }
  const auto add = [&](std::size_t index) {
    if (!request.jobs[index].is_over) reply.news.push_back(news_of(reader, session, rights, request, index));
  };
  if (request.all) {
    for (std::size_t index = 0; index < request.jobs.size(); ++index) add(index);
    return reply;
  }
  const double ended_since = request.ended_since.value_or(reply.t_submit.value_or(0));
  for (const std::size_t index : find_changed(reader, request, ended_since)) add(index);
  return reply;
}

}  // namespace

WatchReply watch_jobs(const Session& session, const WatchRequest& request) {
  const bool ascend = std::is_sorted(request.jobs.begin(), request.jobs.end(),
                                     [](const WatchedJob& a, const WatchedJob& b) { return a.id < b.id; });
  if (request.jobs.empty() || !ascend)
    throw Error{Kind::invalid, "expected jobs to watch, in the order of their ids"};
  WatchReply reply;
  query_repaired(session, [&](const store::Reader& reader) { reply = look(reader, session, request); });
  return reply;
}

}  // namespace fq::manager
