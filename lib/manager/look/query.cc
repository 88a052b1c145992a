#include "manager/look/query.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "document/resource/resource_set.h"
#include "job/actions.h"
#include "job/apply.h"
#include "manager/core/caller_names.h"
#include "manager/core/hidden_jobs.h"
#include "manager/core/permission.h"
#include "manager/engine/lost_shells.h"
#include "manager/jobs/memo.h"
#include "manager/pass/stopped_queues.h"
#include "manager/run/guest.h"
#include "records/job_priorities.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/purged.h"
#include "records/signed_requests.h"
#include "records/store_time.h"
#include "signature/signed_request.h"

namespace fq::manager {

using nlohmann::json;
using notation::JobId;
using store::Family;

namespace {

void add_annotations(const store::Reader& reader, ListedJob& listed) {
  if (listed.job.state != job::State::sched) return;
  auto text = reader.get(Family::instance, records::key::annotation(listed.job.id));
  if (!text) return;
  const json annotations = parse_json(*text, "annotations");
  listed.job.annotations = *std::move(text);
  const json sched = annotations.value("sched", json::object());
  if (const auto at = sched.find("t_estimate"); at != sched.end() && at->is_number()) listed.t_estimate = *at;
  if (const auto at = sched.find("reason_pending"); at != sched.end() && at->is_string())
    listed.reason_pending = *at;
}

// Whether a job comes before another one of its queue, by the priorities that they were given.
bool is_before(const job::Job& one, const job::Job& other) {
  return std::tie(one.priority, other.id) > std::tie(other.priority, one.id);
}

// Of the jobs that wait and of which the scheduler has said why the first ones, by the queue that is served
// for them. A scheduler that says it of all has none behind them.
using BlockedHeads = std::map<std::string, job::Job>;

BlockedHeads blocked_heads(const store::Reader& reader, records::Queues& queues) {
  constexpr int kMost = 64;
  BlockedHeads heads;
  int seen = 0;
  for (const auto at = reader.scan_prefix(Family::instance, records::key::kAnnotationPrefix);
       at->valid() && ++seen <= kMost; at->next()) {
    const JobId id = records::key::indexed_job(at->key());
    ListedJob listed{{}, std::nullopt, std::nullopt};
    const auto job = records::find_job(reader, id);
    if (!job || job->state != job::State::sched || queues.find(job->queue) == nullptr) continue;
    listed.job = *job;
    add_annotations(reader, listed);
    if (!listed.reason_pending) continue;
    const auto [head, is_new] = heads.try_emplace(std::string{queues.served_by(job->queue)}, *job);
    if (!is_new && is_before(*job, head->second)) head->second = *job;
  }
  return heads;
}

// Of a job of which the scheduler has not said why it waits: behind whom.
void add_head(records::Queues& queues, const BlockedHeads& heads, ListedJob& listed) {
  const job::Job& job = listed.job;
  if (heads.empty() || job.state != job::State::sched || listed.reason_pending || listed.t_estimate) return;
  if (job.urgency == job::kUrgencyHold || queues.find(job.queue) == nullptr) return;
  const auto head = heads.find(std::string{queues.served_by(job.queue)});
  if (head != heads.end() && is_before(head->second, job)) listed.behind = head->second.id;
}

// Where no job of its queue starts, that is the reason, whatever the scheduler has said before.
void hide_if_stopped(StoppedQueues& stopped, ListedJob& listed) {
  if (listed.job.state != job::State::sched) return;
  const std::vector<std::string>& reasons = stopped.reasons(listed.job.queue);
  if (reasons.empty()) return;
  listed.job.annotations.clear();
  listed.t_estimate.reset();
  listed.reason_pending = reasons.front();
}

// What keeps a job from its end.
void add_leftovers(const store::Reader& reader, ListedJob& listed) {
  if (listed.job.state == job::State::cleanup) listed.reason_pending = leftovers_text(reader, listed.job.id);
}

std::string require(const store::Reader& reader, JobId id, const std::string& key, std::string_view what) {
  auto text = reader.get(Family::kvs, key);
  if (!text) throw error(Kind::not_found, "job {} has no {}", id, what);
  return *std::move(text);
}

std::string jobspec_document(const store::Reader& reader, JobId id, JobspecForm form) {
  std::string original = require(reader, id, records::key::jobspec(id), "jobspec");
  if (form == JobspecForm::original) return original;
  const std::string log =
      form == JobspecForm::current ? reader.get(Family::kvs, records::key::eventlog(id)).value_or("") : "";
  json document = job::effective_jobspec(original, log).json();
  if (auto& system = document["attributes"]["system"]; system.is_object()) system.erase("environment");
  return dump_json(document);
}

std::string r_document(const store::Reader& reader, const job::Job& job, JobspecForm form) {
  std::string stored = require(reader, job.id, records::key::r(job.id), "R");
  if (form != JobspecForm::current || !job.expiration_moved) return stored;
  auto r = document::ResourceSet::parse(stored);
  r.expiration = job.expiration;
  return r.encode();
}

std::vector<std::string> keys_of(const store::Reader& reader, const meeting::JobFiles& files, JobId id) {
  const job::Job job = require_job(reader, id);
  std::set<std::string> keys{"J"};
  const std::string directory = records::key::job_directory(id);
  for (const auto at = reader.scan_prefix(Family::kvs, directory); at->valid(); at->next()) {
    keys.emplace(at->key().substr(directory.size()));
  }
  for (const KeptFile& file : read_kept_files(reader, id))
    keys.insert(fmt::format("{}{}", request::kGuestKeys, file.name));
  if (job::wants_shell(job)) {
    for (const std::string& name : live_guest_names(files, id))
      keys.insert(fmt::format("{}{}", request::kGuestKeys, name));
  }
  return {keys.begin(), keys.end()};
}

}  // namespace

job::Job require_job(const store::Reader& reader, JobId id) {
  auto job = records::find_job(reader, id);
  if (!job) throw records::no_such_job(reader, id);
  return *std::move(job);
}

void visit_listed(const store::Reader& reader, const JobFilter& filter,
                  const std::function<bool(ListedJob&&)>& visit) {
  // The scheduler has said something of few jobs only, and users less: where there is nothing, nothing is
  // looked up.
  const bool annotated = reader.scan_prefix(Family::instance, records::key::kAnnotationPrefix)->valid();
  const bool lingering = reader.scan_prefix(Family::instance, records::key::kLeftoversPrefix)->valid();
  const bool noted = reader.scan_prefix(Family::instance, records::key::kMemoPrefix)->valid();
  records::Queues queues(reader);
  StoppedQueues stopped(reader, queues);
  const BlockedHeads heads = annotated ? blocked_heads(reader, queues) : BlockedHeads{};
  visit_jobs(reader, filter, [&](job::Job&& job) {
    ListedJob listed{std::move(job), std::nullopt, std::nullopt};
    if (annotated) add_annotations(reader, listed);
    hide_if_stopped(stopped, listed);
    add_head(queues, heads, listed);
    if (lingering) add_leftovers(reader, listed);
    if (noted) listed.job.memo = full_memo(reader, listed.job);
    return visit(std::move(listed));
  });
}

ListedJob find_listed(const store::Reader& reader, JobId id) {
  ListedJob listed{require_job(reader, id), std::nullopt, std::nullopt};
  add_annotations(reader, listed);
  add_leftovers(reader, listed);
  records::Queues queues(reader);
  StoppedQueues stopped(reader, queues);
  hide_if_stopped(stopped, listed);
  add_head(queues, blocked_heads(reader, queues), listed);
  if (listed.job.state == job::State::sched) {
    const double now = records::store_time(reader, SystemClock{}).now;
    listed.job.priority = records::JobPriorities(reader, queues, now).of(listed.job);
  }
  listed.job.memo = full_memo(reader, listed.job);
  return listed;
}

ListedJob find_listed(const store::Reader& reader, Rights& rights, JobId id) {
  static_cast<void>(rights.require_job(id));
  ListedJob listed = find_listed(reader, id);
  hide_jobs_in(rights, listed);
  return listed;
}

void hide_jobs_in(Rights& rights, ListedJob& listed) {
  hide_jobs_in(rights, listed.job);
  if (listed.reason_pending)
    listed.reason_pending = without_hidden_jobs(rights, *std::move(listed.reason_pending));
  if (!listed.behind || !rights.is_hidden(*listed.behind)) return;
  listed.behind.reset();
  listed.reason_pending = "behind another job";
}

ListedJob find_job(const Session& session, JobId id) {
  ListedJob found;
  query(session, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    found = find_listed(reader, rights, id);
  });
  return found;
}

void require_jobs(const Session& session, const std::vector<JobId>& ids) {
  query(session, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    for (const JobId id : ids) static_cast<void>(rights.require_job(id));
  });
}

std::vector<JobId> seen_jobs(const Session& session, const std::vector<JobId>& ids) {
  std::vector<JobId> seen;
  with_names(session, [&](const Session& with) {
    query(with, [&](const store::Reader& reader) {
      seen.clear();
      Rights rights(reader, with.caller);
      for (const JobId id : ids) {
        const auto job = records::find_job(reader, id);
        if (job && rights.sees(job->userid)) seen.push_back(id);
      }
    });
  });
  return seen;
}

double time_left(const Session& session, JobId id) {
  double left = 0;
  query(session, [&](const store::Reader& reader) {
    const job::Job job = Rights(reader, session.caller).require_job(id);
    if (job::is_pending(job.state)) throw error(Kind::refused, "job {} has not started", id);
    const bool runs = job.state == job::State::run;
    if (runs && job.expiration <= 0) {
      left = std::numeric_limits<double>::infinity();
    } else if (runs) {
      left = std::max(0.0, job.expiration - records::store_time(reader, *session.clock).now);
    } else {
      left = 0;
    }
  });
  return left;
}

std::vector<JobId> last_jobs(const Session& session, std::uint32_t userid, std::size_t count) {
  std::vector<JobId> ids;
  query(session, [&](const store::Reader& reader) {
    ids.clear();
    if (!Rights(reader, session.caller).sees(userid)) return;
    for (const std::string& key : reader.last_keys(Family::index, records::key::user_prefix(userid), count)) {
      ids.push_back(records::key::indexed_job(key));
    }
  });
  return ids;
}

DocumentReader open_document(const store::Reader& reader, const meeting::JobFiles& files, JobId id,
                             std::string_view key, JobspecForm form) {
  const job::Job job = require_job(reader, id);
  if (key == "jobspec") return DocumentReader(jobspec_document(reader, id, form));
  if (key == "R") return DocumentReader(r_document(reader, job, form));
  if (key == "eventlog") return DocumentReader(require(reader, id, records::key::eventlog(id), key));
  if (key == "J") {
    if (const auto own = reader.get(Family::kvs, records::key::signed_request(id)))
      return DocumentReader(std::string{records::j_of(*own)});
    return DocumentReader(
        signature::unsigned_request(require(reader, id, records::key::jobspec(id), "jobspec"), job.userid));
  }
  if (key.starts_with(request::kGuestKeys)) {
    auto guest = open_guest(reader, files, id, key.substr(request::kGuestKeys.size()));
    if (!guest) throw error(Kind::not_found, "job {} has no {}", id, key);
    return *std::move(guest);
  }
  if (key.starts_with(request::kDataKeys)) {
    return DocumentReader(
        require(reader, id, records::key::data(id, key.substr(request::kDataKeys.size())), key));
  }
  throw Error{Kind::not_found, fmt::format("job {} has no {}", id, key),
              "J, jobspec, R, eventlog, guest.NAME, data.SERVICE"};
}

std::optional<request::ByteStream> read_document(const Session& session,
                                                 const request::DocumentRequest& request) {
  std::optional<DocumentReader> document;
  const auto read = [&](const store::Reader& reader) {
    const meeting::JobFiles files = session.files();
    Rights rights(reader, session.caller);
    rights.require_access(rights.require_job(request.id));
    if (request.may_be_missing && request.key.starts_with(request::kGuestKeys)) {
      document = open_guest(reader, files, request.id, request.key.substr(request::kGuestKeys.size()));
      return;
    }
    document = open_document(reader, files, request.id, request.key, request.form);
    if (request.key == "eventlog")
      document = DocumentReader(eventlog_without_hidden_jobs(rights, document->read_all()));
  };
  request.repaired ? query_repaired(session, read) : query(session, read);
  if (!document) return std::nullopt;
  return stream_of(*std::move(document));
}

std::vector<std::string> document_keys(const Session& session, JobId id) {
  std::vector<std::string> keys;
  query(session, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    rights.require_access(rights.require_job(id));
    keys = keys_of(reader, session.files(), id);
  });
  return keys;
}

void require_job_access(const Session& session, JobId id) {
  with_names(session, [id](const Session& with) {
    query(with, [&](const store::Reader& reader) {
      Rights rights(reader, with.caller);
      rights.require_access(rights.require_job(id));
    });
  });
}

void require_job_user(const Session& session, JobId id) {
  with_names(session, [id](const Session& with) {
    query(with, [&](const store::Reader& reader) {
      Rights rights(reader, with.caller);
      const job::Job job = rights.require_job(id);
      rights.require_access(job);
      if (with.signatures != nullptr && !rights.is_user_of(job))
        throw error(Kind::permission, "job {} belongs to user {}: nobody else has input for it", id,
                    job.userid);
    });
  });
}

std::string job_document(const store::Reader& reader, const meeting::JobFiles& files, JobId id,
                         std::string_view key, JobspecForm form) {
  return open_document(reader, files, id, key, form).read_all();
}

}  // namespace fq::manager
