#include "manager/update.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "exec/shell_options.h"
#include "exec/tmpdir.h"
#include "job/events.h"
#include "manager/admission.h"
#include "manager/permission.h"
#include "manager/post.h"
#include "manager/urgency.h"
#include "notation/fsd.h"
#include "records/keys.h"

namespace fq::manager {

using document::Jobspec;
using nlohmann::json;
using store::Family;
namespace events = job::events;

namespace {

constexpr std::string_view kDuration = "attributes.system.duration";

// One job's update: checked first, posted then.
class Update {
 public:
  Update(Change& change, const job::Job& job, const UpdateRequest& request, const json& updates)
      : change_(change),
        job_(job),
        before_(effective_jobspec(change, job.id)),
        after_(before_),
        updates_(updates),
        urgency_(request.urgency) {
    if (request.duration_change_s) add_to_duration(*request.duration_change_s);
  }

  void check() {
    for (const auto& [path, value] : updates_.items()) {
      if (path.starts_with("attributes.")) continue;
      throw error(Kind::refused, "{} cannot be changed: only attributes can", quote(path));
    }
    if (urgency_) require_urgency_change(change_, job_, *urgency_);
    if (updates_.empty()) return;
    after_.apply_update(updates_);
    require_same("attributes.system.dependencies", before_.dependencies(), after_.dependencies());
    if (job::is_pending(job_.state)) {
      check_pending();
    } else {
      check_running();
    }
  }

  void post_all() {
    const JobId id = job_.id;
    if (urgency_) post(change_, id, events::urgency(change_.now(), change_.caller().uid, *urgency_));
    if (updates_.empty()) return;
    post(change_, id, events::jobspec_update(change_.now(), dump_json(updates_)));
    if (expiration_) {
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
  void add_to_duration(double seconds) {
    const double now = before_.duration();
    if (now == 0)
      throw error(Kind::refused, "job {} has no time limit that could be changed by so much", job_.id);
    if (now + seconds <= 0) {
      throw error(Kind::refused, "the time limit of job {} is {}: it cannot be reduced by {}", job_.id,
                  notation::format_fsd(now), notation::format_fsd(-seconds));
    }
    updates_[kDuration] = now + seconds;
  }

  void require_same(std::string_view path, const json* before, const json* after) const {
    const bool same = before == nullptr || after == nullptr ? before == after : *before == *after;
    if (!same) throw error(Kind::refused, "{} cannot be changed", quote(path));
  }

  void check_pending() {
    exec::check_shell_options(after_);
    exec::check_job_files(after_);
    job::Job facts = job_;
    job::describe(facts, after_);
    if (facts.queue != job_.queue) require_open_queue(change_, facts.queue);
    require_feasible(change_, facts);
  }

  // What a job that runs keeps is what its shell and its resources were made from.
  void check_running() {
    const auto kept = [](const Jobspec& jobspec) {
      json document = jobspec.json();
      json& attributes = document["attributes"];
      attributes.erase("user");
      json& system = attributes["system"];
      system.erase("duration");
      if (const auto at = system.find("job"); at != system.end() && at->is_object()) {
        at->erase("name");
        if (at->empty()) system.erase("job");
      }
      return document;
    };
    if (kept(before_) != kept(after_)) {
      throw error(Kind::refused, "job {} has its resources: only its duration and its name can be changed",
                  job_.id);
    }
    if (after_.duration() != before_.duration()) move_expiration();
  }

  void move_expiration() {
    require_owner(change_,
                  fmt::format("the time limit of job {} can be changed by the owner only: it runs", job_.id));
    if (job_.state != job::State::run) throw error(Kind::refused, "job {} is ending", job_.id);
    if (after_.duration() == 0) {
      expiration_ = 0;
      return;
    }
    const auto text = change_.transaction().get(Family::kvs, records::key::r(job_.id));
    if (!text) throw error(Kind::internal, "job {} holds resources but has no R", job_.id);
    const double start = document::ResourceSet::parse(*text).starttime;
    expiration_ = start + after_.duration();
    if (*expiration_ <= change_.now()) {
      throw error(Kind::refused, "job {} has run for {}: a time limit of {} has passed", job_.id,
                  notation::format_fsd(change_.now() - start), notation::format_fsd(after_.duration()));
    }
  }

  Change& change_;
  const job::Job& job_;
  Jobspec before_, after_;
  json updates_;
  std::optional<std::uint8_t> urgency_;
  std::optional<double> expiration_;
};

}  // namespace

BulkReply<UpdatedJob> update_jobs(const Session& session, const UpdateRequest& request) {
  const json updates = parse_json(request.updates, "updates");
  JsonAt(updates, "updates").object();
  const auto act = [&](Change& change, JobId id) -> std::optional<UpdatedJob> {
    const job::Job& job = change.job(id);
    require_access(change, job);
    require_active(job);
    Update one(change, job, request, updates);
    one.check();
    if (!request.dry_run) one.post_all();
    return UpdatedJob{id, one.text()};
  };
  return act_on_jobs<UpdatedJob>(
      session, [&](Change&) { return request.ids; }, act);
}

}  // namespace fq::manager
