#include "manager/jobs/submit.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/jobspec/dependency.h"
#include "manager/core/access.h"
#include "manager/core/admission.h"
#include "manager/core/bulk.h"
#include "manager/core/caller_names.h"
#include "manager/core/dependants.h"
#include "manager/core/permission.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "manager/core/singleton.h"
#include "manager/jobs/signed_group.h"
#include "manager/pass/preemption.h"
#include "manager/pass/queue_schedulers.h"
#include "meeting/checked_jobspec.h"
#include "records/purged.h"

namespace fq::manager {

using document::Dependency;
using document::DependencyKind;
using document::Jobspec;

namespace {

// `'afterok:ƒ2GMuTnf'`, as it stands on a command line.
std::string as_asked(const Dependency& dependency) {
  return quote(fmt::format("{}:{}", document::scheme(dependency.kind), dependency.job));
}

// The descriptions of the dependencies that must still be waited for.
std::vector<std::string> open_dependencies(Change& change, const std::vector<Dependency>& dependencies) {
  std::vector<std::string> open;
  Rights rights(change.transaction(), change.caller());
  for (const Dependency& dependency : dependencies) {
    const std::string description = document::describe(dependency);
    if (dependency.kind == DependencyKind::singleton) continue;  // see Submission::store
    if (dependency.kind == DependencyKind::begin_time) {
      // Who asks reads the system's clock.
      Dependency in_store_time = dependency;
      in_store_time.begin_time += change.moment().lead;
      if (in_store_time.begin_time > change.now()) open.push_back(document::describe(in_store_time));
      continue;
    }
    const job::Job* on = change.find_job(dependency.job);
    std::optional<job::Job> purged;
    if (on == nullptr && (purged = records::find_purged(change.transaction(), dependency.job))) on = &*purged;
    // Of one that the user does not see they learn nothing, and whose a purged one was is not known.
    const bool is_seen = on != nullptr && (purged ? rights.sees_all() : rights.sees(on->userid));
    if (!is_seen) {
      throw error(Kind::not_found, "dependency {}: job {} does not exist", as_asked(dependency),
                  dependency.job);
    }
    switch (dependency_state(dependency.kind, *on)) {
      case DependencyState::satisfied:
        break;
      case DependencyState::waiting:
        open.push_back(description);
        break;
      case DependencyState::impossible:
        throw error(Kind::refused, "dependency {} can never be satisfied: job {} ended as {}",
                    as_asked(dependency), on->id, job::status(*on));
    }
  }
  return open;
}

// Adds something to the first string of the JSON text.
void lengthen(NumberedText& text) {
  bool open = false;
  for (std::string& piece : text.pieces) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece[i] == '\\') {
        ++i;
      } else if (piece[i] == '"' && std::exchange(open, true)) {
        piece.insert(i, 1, 'x');
        return;
      }
    }
  }
}

// Whether what is known of a job, and what decides whether it is taken, depends on what stands at the
// places.
struct Varies {
  bool facts = false, admission = false;
};

// What stands at a request's places is text or part of one, so its jobs share most of what is checked: that
// is checked once.
class Submission {
 public:
  Submission(const Session& session, const JobGroup& request) : Submission(request) {
    if (session.signatures != nullptr) signed_.emplace(request, *session.signatures, session);
  }
  explicit Submission(const JobGroup& request)
      : request_(request),
        size_(checked_size(request)),
        jobspec_(meeting::checked_jobspec(text(first()))),
        wanted_(meeting::dependencies_of(*jobspec_)) {
    next_ = stored_ = first();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t jobspec_bytes() const { return text(first()).size(); }
  /// From now on the first jobspec is read each time that it is wanted.
  void keep_no_jobspec() { jobspec_.reset(); }

  void check(Change& change) {
    looked_at_ = next_;
    refused_together_ = false;
    check_one(change, next_);
    job::Job owned = admission_->facts;
    owned.userid = change.caller().uid;
    refused_together_ = true;
    require_room_for_jobs(change, admission_->association, owned, size() - next_.index);
    refused_together_ = false;
    // Once some are stored, store alone looks at the others: in each step at all would be quadratic.
    if (!varies().admission || next_.index > 0) return;
    for (advance(looked_at_); looked_at_.index < size(); advance(looked_at_)) {
      static_cast<void>(admitted(change, jobspec(looked_at_)));
    }
  }

  /// The place of the job that check or store ended with, when it threw.
  [[nodiscard]] std::size_t looked_at() const { return looked_at_.index; }

  /// Whether check threw for the number of jobs, not for one of them.
  [[nodiscard]] bool refused_together() const { return refused_together_; }

  /// Whether each job is refused in these words. Looks no further than to the first that is not.
  [[nodiscard]] bool is_refused_alike(Change& change, std::string_view words) {
    for (Position at = first(); at.index < size(); advance(at)) {
      if (!is_refused(change, at, words)) return false;
      if (!varies().admission) return true;
    }
    return true;
  }

  /// Whether every job of the request was stored.
  [[nodiscard]] bool done() const { return next_.index == size(); }

  /// What was stored since the last call is committed; or it is not, and comes again.
  void committed() { stored_ = next_; }
  void rolled_back() { next_ = stored_; }

  /// Stores the next job. REQUIRES !done(), and check in the same transaction.
  JobId store(Change& change) {
    NewJob job;
    looked_at_ = next_;
    job.jobspec = text(next_);
    if (job.jobspec.size() > Jobspec::kMaxBytes) {
      throw error(Kind::invalid, "jobspec: {} bytes are more than the {} allowed", job.jobspec.size(),
                  Jobspec::kMaxBytes);
    }
    job.facts = admission_->facts;
    job.updates = admission_->updates;
    if (varies().admission) {
      Admission own = admitted(change, Jobspec::parse(job.jobspec));
      job.facts = std::move(own.facts);
      job.updates = std::move(own.updates);
    } else if (varies().facts) {
      Jobspec jobspec = Jobspec::parse(job.jobspec);
      if (!job.updates.empty()) jobspec.apply_update(parse_json(job.updates, "updates"));
      job::describe(job.facts, jobspec);
    }
    job.facts.id = change.take_id();
    if (signed_)
      change.note_bytes(change.caller().uid, static_cast<std::int64_t>(records::write_signed_request(
                                                 change.transaction(), job.facts.id,
                                                 signed_->of(next_.index, next_.row, next_.number))));
    advance(next_);
    job.urgency = request_.urgency;
    job.flags = request_.flags;
    job.dependencies = dependencies_;
    // Jobs of one request may wait for each other.
    if (is_singleton() && name_is_taken(change, change.caller().uid, job.facts.name)) {
      job.dependencies.push_back(document::describe({.kind = DependencyKind::singleton}));
    }
    const JobId id = job.facts.id;
    create(change, std::move(job));
    return id;
  }

 private:
  static std::size_t checked_size(const JobGroup& group) {
    group.require_form();
    return group.size();
  }

  // A job of the request: its place among them, its row, and the number of its copy.
  struct Position {
    std::size_t index = 0;
    std::size_t row = 0;
    std::uint32_t number = 0;
  };

  static Admission admitted(Change& change, const Jobspec& jobspec) {
    require_qos(change, jobspec.qos(), jobspec.bank());
    return admit(change, change.caller().uid, jobspec);
  }

  // All that decides whether a job is taken. What is found holds for every job where admission does not vary.
  void check_one(Change& change, const Position& at) {
    require_urgency(change, request_.urgency);
    admission_ = admitted(change, jobspec(at));
    if (is_singleton() && !admission_->facts.named) {
      throw Error{Kind::refused, "dependency 'singleton' needs a job that was given a name",
                  "--job-name=NAME"};
    }
    dependencies_ = open_dependencies(change, wanted_);
  }

  [[nodiscard]] bool is_refused(Change& change, const Position& at, std::string_view words) {
    try {
      check_one(change, at);
    } catch (const Error& failure) {
      return failure.what() == words;
    }
    return false;
  }

  [[nodiscard]] bool is_singleton() const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [](const Dependency& d) { return d.kind == DependencyKind::singleton; });
  }

  [[nodiscard]] Position first() const {
    return {0, 0, request_.copies.empty() ? 0 : request_.copies.first()};
  }

  void advance(Position& at) const {
    const auto next = request_.copies.empty() ? std::nullopt : request_.copies.next(at.number);
    at = next ? Position{at.index + 1, at.row, *next} : Position{at.index + 1, at.row + 1, first().number};
  }

  [[nodiscard]] std::string text(const Position& at) const {
    return request_.jobspec_text(at.row, at.number);
  }

  [[nodiscard]] Jobspec jobspec(const Position& at) const {
    return at.index == 0 && jobspec_ ? *jobspec_ : Jobspec::parse(text(at));
  }

  [[nodiscard]] const Varies& varies() {
    if (varies_) return *varies_;
    varies_.emplace();
    if (request_.jobspec.pieces.size() > 1) {
      job::Job one, other;
      job::describe(one, jobspec(first()));
      job::describe(other, Jobspec::parse(another_text()));
      varies_->facts = one != other;
      // These are words of the user's that no queue looks at.
      other.name = one.name;
      other.named = one.named;
      other.cwd = one.cwd;
      varies_->admission = one != other;
    }
    return *varies_;
  }

  // The jobspec with something else at each place than the first job has.
  [[nodiscard]] std::string another_text() const {
    JobTexts texts = request_.rows.front();
    for (NumberedText& text : texts) lengthen(text);
    return request_.jobspec.text(texts, first().number);
  }

  const JobGroup& request_;
  std::size_t size_;
  std::optional<Jobspec> jobspec_;  ///< of the first job; read again where it is not kept
  std::vector<Dependency> wanted_;
  Position next_, stored_, looked_at_;
  std::optional<Admission> admission_;
  bool refused_together_ = false;
  std::vector<std::string> dependencies_;
  std::optional<Varies> varies_;
  std::optional<SignedGroup> signed_;  ///< where jobs run as their users
};

// Of so many bytes of jobspecs the values are kept: they take up to thirty times as much memory.
constexpr std::size_t kMostKept = std::size_t{16} << 20;

// A job may start though one of its class waits where others may be preempted for it, and where a program
// schedules: what that does is not known.
void note_chances(Change& change, const job::Job& job) {
  records::Queues& queues = change.queues();
  const bool known = queues.find(job.queue) != nullptr;
  if (may_preempt(change, job) || (known && is_external(queues, queues.served_by(job.queue))))
    change.has_new_chances();
}

}  // namespace

std::vector<JobId> submit(const Session& session, const std::vector<JobGroup>& groups) {
  std::vector<Submission> submissions;
  submissions.reserve(groups.size());
  std::size_t kept = 0;
  for (const JobGroup& group : groups) {
    submissions.emplace_back(session, group);
    kept += submissions.back().jobspec_bytes();
    if (kept > kMostKept) submissions.back().keep_no_jobspec();
  }
  std::size_t total = 0;
  for (const Submission& submission : submissions) total += submission.size();
  std::vector<JobId> ids;
  constexpr std::size_t kMostJobs = 100'000'000;
  if (total > kMostJobs) throw error(Kind::refused, "{} jobs at once are more than {}", total, kMostJobs);
  ids.reserve(total);
  std::size_t current = 0;
  std::size_t stored = 0;
  std::size_t stored_current = 0;
  std::optional<std::size_t> refused;  // the place among all jobs of the first that is, unless all are alike
  const auto note_refused = [&](std::size_t i, const Error& failure) {
    if (total == 1 || !is_about_the_job(failure.kind())) return;
    refused = submissions[i].looked_at();
    for (std::size_t before = 0; before < i; ++before) *refused += submissions[before].size();
  };
  const auto check = [&](Change& change, std::size_t i) {
    try {
      submissions[i].check(change);
    } catch (const Error& failure) {
      note_refused(i, failure);
      // Jobs before the one refused are taken. Looking at all costs what checking them would have.
      if (submissions[i].refused_together() ||
          (refused == 0 && std::all_of(submissions.begin(), submissions.end(), [&](Submission& each) {
             return each.is_refused_alike(change, failure.what());
           }))) {
        refused.reset();
      }
      throw;
    }
  };
  const auto store = [&](Change& change) {
    try {
      return submissions[current].store(change);
    } catch (const Error& failure) {
      note_refused(current, failure);
      throw;
    }
  };
  const auto step = [&](Change& change) {
    change.only_adds_jobs();
    refused.reset();
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(stored), ids.end());
    current = stored_current;
    for (std::size_t i = current; i < submissions.size(); ++i) submissions[i].rolled_back();
    if (stored == 0) require_share(change, total);
    // The state may be another one in each step, so what is left to store is checked again.
    for (std::size_t i = current; i < submissions.size(); ++i) check(change, i);
    while (current < submissions.size() && !change.is_large()) {
      ids.push_back(store(change));
      note_chances(change, change.job(ids.back()));
      if (submissions[current].done()) ++current;
    }
    return current < submissions.size();
  };
  const auto committed = [&] {
    stored = ids.size();
    for (std::size_t i = stored_current; i < submissions.size() && i <= current; ++i)
      submissions[i].committed();
    stored_current = current;
  };
  try {
    with_names(session, [&](const Session& with) { transact_steps(with, {step, committed}); });
  } catch (const Error& failure) {
    std::string before;
    if (stored > 0) {
      before = fmt::format("only the first {} of {} jobs were submitted, {} to {}", stored, total,
                           ids.front(), ids[stored - 1]);
    }
    if (refused) throw request::JobError(failure, *refused, before);
    if (before.empty()) throw;
    throw failure.within(before);
  }
  return ids;
}

std::vector<JobId> submit_within(Change& change, const JobGroup& request) {
  Submission submission(request);
  submission.check(change);
  std::vector<JobId> ids;
  while (!submission.done()) {
    ids.push_back(submission.store(change));
    note_chances(change, change.job(ids.back()));
  }
  return ids;
}

}  // namespace fq::manager
