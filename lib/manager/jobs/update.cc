#include "manager/jobs/update.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/jobspec/shell_options.h"
#include "job/events.h"
#include "manager/core/access.h"
#include "manager/core/admission.h"
#include "manager/core/bulk.h"
#include "manager/core/caller_names.h"
#include "manager/core/hidden_jobs.h"
#include "manager/core/limits.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "manager/jobs/urgency.h"
#include "manager/pass/consultation.h"
#include "manager/pass/expiration.h"
#include "manager/run/allocation.h"
#include "meeting/tmpdir.h"
#include "notation/fsd.h"
#include "records/keys.h"
#include "records/signed_requests.h"
#include "store/rocks/snapshot.h"
#include "store/unkept_transaction.h"

namespace fq::manager {

using document::Jobspec;
using nlohmann::json;
using store::Family;
namespace events = job::events;

namespace {

// One job's update: checked first, posted then. What the user asks for and what the queue makes of it are
// events of their own, so that the job can be moved on later (manager/core/admission.h).
class Update {
 public:
  /// `said` is what programs that are schedulers say of new ends of jobs that run; outlives this.
  Update(Change& change, const job::Job& job, const UpdateRequest& request, const json& updates,
         const AskedExpirations& said)
      : change_(change),
        job_(job),
        before_(effective_jobspec(change, job.id)),
        updates_(updates),
        urgency_(request.urgency),
        by_owner_(job.userid != change.caller().uid),
        said_(said) {
    if (request.duration_change_s) add_to_duration(*request.duration_change_s);
  }

  void check() {
    for (const auto& [path, value] : updates_.items()) {
      if (path.starts_with("attributes.")) continue;
      throw error(Kind::refused, "{} cannot be changed: only attributes can", quote(path));
    }
    if (urgency_) require_urgency_change(change_, job_, *urgency_);
    if (updates_.empty()) return;
    if (const auto queue = updates_.find(path::kQueue);
        queue != updates_.end() && *queue == job_.queue && !job_.queue.empty()) {
      throw error(Kind::refused, "job {} is in queue {} already", job_.id, quote(job_.queue));
    }
    if (is_immutable() && !by_owner_) {
      if (!is_operator(change_))
        throw error(Kind::permission, "job {} is immutable: {} has changed it", job_.id,
                    operators_text(change_.transaction()));
    }
    Jobspec requested = requested_jobspec(change_, job_.id);
    const Jobspec dependent = requested;
    requested.apply_update(with_explicit_duration(updates_));
    if (requested.qos() != dependent.qos()) require_qos(change_, requested.qos(), requested.bank());
    require_same("attributes.system.dependencies", dependent.dependencies(), requested.dependencies());
    if (records::read_signed_request(change_.transaction(), job_.id)) require_as_signed();
    if (job::is_pending(job_.state)) {
      document::check_shell_options(requested);
      meeting::check_job_files(requested);
      const bool moves = requested.queue() != job_.queue;
      if (!moves && change_.queues().find(job_.queue) == nullptr)
        return;  // it waits for its queue to be back
      find_queue_updates(
          admit(change_, job_.userid, requested, moves ? Entering::yes : Entering::no, exempt()).jobspec);
    } else {
      check_running();
    }
  }

  /// The new end that this gives a job that runs, if it may; nothing where that stays.
  [[nodiscard]] std::optional<double> wanted_end() {
    Jobspec after = before_;
    after.apply_update(updates_);
    if (after.duration() == before_.duration()) return std::nullopt;
    return new_end(after.duration());
  }

  void post_all() {
    const JobId id = job_.id;
    if (urgency_) post(change_, id, events::urgency(change_.now(), change_.caller().uid, *urgency_));
    if (updates_.empty()) return;
    post_updates();
    if (expiration_) {
      extend_allocation(change_, id, *expiration_);
      post(change_, id, events::resource_update(change_.now(), *expiration_));
      change_.effects().expirations.push_back({id, *expiration_});
    }
  }

  [[nodiscard]] std::string text() const {
    json all = updates_;
    if (urgency_) all["urgency"] = *urgency_;
    return dump_json(all);
  }

 private:
  [[nodiscard]] bool is_immutable() const { return (job_.flags & job::kFlagImmutable) != 0; }
  [[nodiscard]] Exempt exempt() const { return by_owner_ ? Exempt::yes : Exempt::no; }

  void add_to_duration(double seconds) {
    const double now = before_.duration();
    if (now == 0)
      throw error(Kind::refused, "job {} has no time limit that could be changed by so much", job_.id);
    if (now + seconds <= 0) {
      throw error(Kind::refused, "the time limit of job {} is {}: it cannot be reduced by {}", job_.id,
                  notation::format_fsd(now), notation::format_fsd(-seconds));
    }
    updates_[path::kDuration] = now + seconds;
  }

  void require_same(std::string_view path, const json* before, const json* after) const {
    const bool same = before == nullptr || after == nullptr ? before == after : *before == *after;
    if (!same) throw error(Kind::refused, "{} cannot be changed", quote(path));
  }

  // The jobspec without attributes.user, the name of the job and these keys of attributes.system.
  static json without(const Jobspec& jobspec, std::initializer_list<const char*> keys) {
    json document = jobspec.json();
    json& attributes = document["attributes"];
    attributes.erase("user");
    json& system = attributes["system"];
    for (const char* key : keys) system.erase(key);
    if (const auto at = system.find("job"); at != system.end() && at->is_object()) {
      at->erase("name");
      if (at->empty()) system.erase("job");
    }
    return document;
  }

  // What a job's tasks are made from is what its user has signed: a change would have no effect on it. Where
  // and when it runs, and who is charged, may change.
  void require_as_signed() const {
    const auto kept = [](const Jobspec& jobspec) {
      return without(jobspec, {"duration", "queue", "bank", "project", "qos", "constraints"});
    };
    Jobspec after = before_;
    after.apply_update(updates_);
    if (kept(before_) == kept(after)) return;
    throw error(Kind::refused,
                "job {} is signed: only its duration, queue, bank, project, QoS, constraints, name and "
                "attributes.user can be changed; submit it anew",
                job_.id);
  }

  // What a job that runs keeps is what its shell and its resources were made from.
  void check_running() {
    const auto kept = [](const Jobspec& jobspec) { return without(jobspec, {"duration"}); };
    Jobspec after = before_;
    after.apply_update(updates_);
    if (kept(before_) != kept(after)) {
      throw error(Kind::refused,
                  "job {} has its resources: only its duration, its name and attributes.user can be changed",
                  job_.id);
    }
    if (after.duration() == before_.duration()) return;
    expiration_ = new_end(after.duration());
    const sched::ExpirationReply reply = propose_expiration(change_, job_, *expiration_, said_);
    if (reply.status == sched::ExpirationReply::Status::refused) {
      Rights rights(change_.transaction(), change_.caller());
      throw error(Kind::refused, "the time limit of job {} cannot be changed: {}", job_.id,
                  without_hidden_jobs(rights, reply.reason));
    }
  }

  // When a job that runs has to end, if it may, with this time limit: seconds since the epoch; 0: never.
  [[nodiscard]] double new_end(double duration) {
    if (!is_operator(change_))
      throw error(Kind::permission, "the time limit of job {} can be changed by {} only: it runs", job_.id,
                  operators_text(change_.transaction()));
    if (job_.state != job::State::run) throw error(Kind::refused, "job {} is ending", job_.id);
    require_duration_limit(duration);
    const double end = change_.pool().inventory().expiration;
    if (end != 0 && end <= change_.now()) throw Error{Kind::refused, "the inventory has expired"};
    return duration == 0 ? end : end_after(duration, end);
  }

  // When the job will have run for so long, if it may: seconds since the epoch. `end` is the inventory's.
  [[nodiscard]] double end_after(double duration, double end) {
    const auto text = change_.transaction().get(Family::kvs, records::key::r(job_.id));
    if (!text) throw error(Kind::internal, "job {} holds resources but has no R", job_.id);
    const double start = document::ResourceSet::parse(*text).starttime;
    const double expiration = start + duration;
    if (expiration <= change_.now()) {
      throw error(Kind::refused, "job {} has run for {}: a time limit of {} has passed", job_.id,
                  notation::format_fsd(change_.now() - start), notation::format_fsd(duration));
    }
    if (end != 0 && expiration > end) {
      throw error(Kind::refused, "job {} would outlast the inventory: a time limit of {} at most is possible",
                  job_.id, notation::format_fsd_digits(end - start));
    }
    return expiration;
  }

  // A job whose queue is gone has no limits any more.
  void require_duration_limit(double duration) {
    const document::QueueConfig* queue = change_.queues().find(job_.queue);
    job::Job facts = job_;
    facts.duration = duration;
    if (queue != nullptr && !by_owner_)
      require_within_duration_limit(*queue, records::qos_of(change_.transaction(), facts.qos), facts);
  }

  // What the queue must still make of the job, once it is what its user wants, for it to become `admitted`.
  // An event cannot remove a key: `{}` are constraints that everything satisfies.
  void find_queue_updates(const Jobspec& admitted) {
    Jobspec wanted = before_;
    wanted.apply_update(updates_);
    const json none = json::object();
    const auto constraints = [&](const Jobspec& jobspec) {
      return jobspec.constraints() != nullptr ? *jobspec.constraints() : none;
    };
    if (admitted.duration() != wanted.duration()) queue_updates_[path::kDuration] = admitted.duration();
    if (constraints(admitted) != constraints(wanted))
      queue_updates_[path::kConstraints] = constraints(admitted);
    if (admitted.bank() != wanted.bank()) queue_updates_[path::kBank] = admitted.bank();
    if (admitted.queue() != wanted.queue() || (!queue_updates_.empty() && !admitted.queue().empty())) {
      queue_updates_[path::kQueue] = admitted.queue();
    }
  }

  void post_updates() {
    const auto post_one = [&](const json& updates) {
      post(change_, job_.id, events::jobspec_update(change_.now(), dump_json(updates)));
    };
    json own = updates_;
    if (const auto queue = own.find(path::kQueue); queue != own.end()) {
      queue_updates_[path::kQueue] = *queue;  // one event names it
      own.erase(queue);
    }
    if (!own.empty()) post_one(own);
    if (!queue_updates_.empty()) post_one(queue_updates_);
    if (by_owner_ && !is_immutable()) post(change_, job_.id, events::set_flag(change_.now(), "immutable"));
  }

  Change& change_;
  const job::Job& job_;
  Jobspec before_;
  json updates_;
  json queue_updates_ = json::object();
  std::optional<std::uint8_t> urgency_;
  bool by_owner_;  ///< or an operator, and the job is another user's: require_access let nobody else through
  const AskedExpirations& said_;
  std::optional<double> expiration_;
};

// Thrown under the lock, before anything is changed: programs are to be asked of the jobs' new ends first.
struct Unasked {};

// The job, if it runs and its queue's scheduler is a program; null else.
const job::Job* served_by_program(Change& change, JobId id) {
  const job::Job* job = change.find_job(id);
  const bool is = job != nullptr && job->state == job::State::run &&
                  change.queues().find(job->queue) != nullptr &&
                  is_consulted(change, change.queues().served_by(job->queue));
  return is ? job : nullptr;
}

// What programs say of the ends that jobs are to have: asked on what is stored now, without the lock. What is
// wrong with the request is said when it is served.
AskedExpirations ask_programs(const Session& session, const UpdateRequest& request, const json& updates) {
  AskedExpirations said;
  const auto snapshot = store::rocks::open_snapshot(session.store, session.lock_timeout_s);
  if (records::read_store_info(*snapshot).format < records::kFormatVersion) return said;
  store::UnkeptTransaction transaction(*snapshot);
  Change change(session, transaction);
  for (const JobId id : request.ids) {
    const job::Job* job = served_by_program(change, id);
    if (job == nullptr) continue;
    try {
      require_access(change, *job);
      if (const auto end = Update(change, *job, request, updates, said).wanted_end())
        said[id] = {*end, ask_expiration(change, *job, *end)};
    } catch (const Error&) {
      continue;
    }
  }
  return said;
}

}  // namespace

request::BulkReply<UpdatedJob> update_jobs(const Session& session, const UpdateRequest& request) {
  const json updates = parse_json(request.updates, "updates");
  JsonAt(updates, "updates").object();
  AskedExpirations said;
  bool may_ask = updates.contains(path::kDuration) || request.duration_change_s;
  const auto act = [&](Change& change, JobId id) -> std::optional<UpdatedJob> {
    const job::Job& job = change.job(id);
    require_access(change, job);
    require_active(job);
    Update one(change, job, request, updates, said);
    one.check();
    if (!request.dry_run) one.post_all();
    return UpdatedJob{id, one.text()};
  };
  // Some of the jobs may be changed before one asks for the names: for its queue, QoS or bank.
  const auto find = [&](Change& change) {
    require_share(change);
    if (may_ask && std::any_of(request.ids.begin(), request.ids.end(),
                               [&](JobId id) { return served_by_program(change, id) != nullptr; })) {
      throw Unasked{};
    }
    return request.ids;
  };
  const auto log = [&](Change& change, std::span<const JobId> changed) {
    if (request.dry_run) return;
    json what = {{"updates", updates}};
    if (request.urgency) what["urgency"] = *request.urgency;
    if (request.duration_change_s) what["duration_change"] = *request.duration_change_s;
    log_act_on_others(change, "job-update", changed, std::move(what));
  };
  const auto update = [&] {
    return act_on_jobs<UpdatedJob>(updates.empty() ? session : named(session), find, act, FullDisk::refuse,
                                   log);
  };
  try {
    return update();
  } catch (const Unasked&) {
    said = ask_programs(session, request, updates);
    may_ask = false;
  }
  return update();
}

}  // namespace fq::manager
