#include "sim/machine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/dependency.h"
#include "job/events.h"
#include "manager/accounts/book.h"
#include "manager/accounts/transfer.h"
#include "manager/core/change_series.h"
#include "manager/core/dependants.h"
#include "manager/core/post.h"
#include "manager/core/settle.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/submit.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/site/initialize.h"
#include "manager/site/queue_admin.h"
#include "records/keys.h"
#include "sim/jobspec.h"
#include "sim/users.h"
#include "store/memory/database.h"

namespace fq::sim {

using document::QueueConfig;
using notation::JobId;
using store::Family;

namespace {

/// The trace begins here, seconds since the epoch.
constexpr double kEpoch = 1'000'000'000;
/// Whom the store belongs to: nobody who has jobs.
constexpr std::uint32_t kOwner = 0xFFFFFFFD;
constexpr std::size_t kNoRun = std::numeric_limits<std::size_t>::max();
/// So many instants in which no job comes, starts or ends are waited through: a month of minutes, in which
/// priorities may change and budgets begin anew.
constexpr std::size_t kMostIdle = 45'000;
/// Tries of a scheduler that fail one after another.
constexpr int kMostFailures = 3;
constexpr std::int32_t kTerminated = 15;  // wait status of a job that a signal has ended

class PretendedClock final : public Clock {
 public:
  [[nodiscard]] double now() const override { return now_; }
  [[nodiscard]] double boot_time() const override { return now_ - kEpoch + 1; }
  void set(double now) { now_ = now; }

 private:
  double now_ = kEpoch;
};

manager::Session pretended_session(const PretendedClock& clock) {
  manager::Session session;
  session.command = "fq-sim";
  session.caller = {kOwner, kOwner, std::make_shared<process::Names>()};
  session.clock = &clock;
  return session;
}

class Machine {
 public:
  Machine(const Trace& trace, const document::Config& config, const SimulateOptions& options)
      : trace_(trace),
        options_(options),
        users_(trace, options.accounts),
        session_(pretended_session(clock_)),
        transaction_(database_.begin()) {
    for (const QueueConfig& queue : config.queues) queues_.push_back(queue.name);
    records::StoreInfo info;
    info.owner = kOwner;
    info.hostname = "simulated";
    manager::write_first_state(*transaction_, info, config.inventory, config, kEpoch);
    transaction_->commit();
    change_ = std::make_unique<manager::ChangeSeries>(session_, *transaction_,
                                                      std::numeric_limits<std::size_t>::max());
    if (!users_.accounts().banks.empty() || !users_.accounts().users.empty()) {
      manager::AccountBook book(*change_);
      static_cast<void>(manager::import_into(book, users_.accounts()));
      book.write();
      change_->forget_accounts();
    }
    if (options.prepare) options.prepare(*change_);
    change_->write_back();
    transaction_->commit();
    outcome_.ncores = change_->pool().total().cores;
    outcome_.names = users_.names();
  }

  Outcome run() {
    if (!trace_.jobs.empty()) outcome_.begin = trace_.jobs.front().submit;
    next_ = trace_.jobs.begin();
    double now = kEpoch;
    for (std::size_t idle = 0; idle < kMostIdle; ++idle) {
      const double at = again_ ? now : next_instant();
      if (!std::isfinite(at)) break;
      now = std::max(now, at);
      clock_.set(now);
      if (transact(now)) idle = 0;
      if (scheduler_keeps_failing()) break;
      if (options_.progress) options_.progress(over_, trace_.jobs.size());
    }
    tell_waiting();
    std::sort(outcome_.runs.begin(), outcome_.runs.end(), [](const JobRun& a, const JobRun& b) {
      return std::tie(a.start, a.id) < std::tie(b.start, b.id);
    });
    return std::move(outcome_);
  }

 private:
  struct Known {
    const TraceJob* job = nullptr;
    std::size_t run = kNoRun;  ///< place in the outcome of the present stay
    double end = 0;            ///< of it, seconds since the epoch
  };
  // A queue whose scheduler fails.
  struct Failing {
    double next_try = 0;  ///< seconds since the epoch
    int times = 0;        ///< in a row
  };
  // When a stay ends; one that its job no longer ends by is passed over.
  struct End {
    double time = 0;
    JobId id;
    std::uint32_t attempt = 0;
    bool operator>(const End& other) const { return std::tie(time, id) > std::tie(other.time, other.id); }
  };

  [[nodiscard]] double next_instant() const {
    double at = std::numeric_limits<double>::infinity();
    if (next_ != trace_.jobs.end()) at = kEpoch + next_->submit;
    if (!ends_.empty()) at = std::min(at, ends_.top().time);
    const auto timer = transaction_->scan_prefix(Family::index, records::key::kTimerPrefix);
    if (timer->valid())
      at = std::min(at, static_cast<double>(records::key::indexed_time(timer->key())) / 1e6);
    return at;
  }

  // Returns whether a job came, started or ended.
  bool transact(double now) {
    change_->go_on();
    manager::notify_left_over(*change_);
    manager::fire_timers(*change_);
    bool moved = false;
    for (; !ends_.empty() && ends_.top().time <= now; ends_.pop()) moved = end(ends_.top()) || moved;
    if (!moved) change_->only_adds_jobs();
    for (; next_ != trace_.jobs.end() && kEpoch + next_->submit <= now; ++next_) {
      submit(*next_);
      moved = true;
    }
    session_.caller = {kOwner, kOwner, owner_names_};
    manager::settle(*change_, /*last=*/true);
    again_ = change_->effects().unfinished();
    records::write_pass_due(*transaction_, again_);
    change_->write_back();
    ++outcome_.passes;
    const bool moves = moved || !change_->effects().starts.empty();
    if (options_.look && moves) options_.look(*change_);
    transaction_->commit();
    for (const JobId id : change_->effects().starts) start(id, now);
    for (const JobId id : change_->effects().cancels) cut_off(id, now);
    for (const auto& order : change_->effects().expirations) obey(order.id, order.time);
    for (const JobId id : change_->effects().changed) notice_end(id);
    return moves;
  }

  [[nodiscard]] std::string queue_of(const TraceJob& job) const {
    if (!job.queue_name.empty()) return job.queue_name;
    if (job.queue < 1 || static_cast<std::uint64_t>(job.queue) > queues_.size()) return {};
    return queues_[static_cast<std::size_t>(job.queue) - 1];
  }

  [[nodiscard]] std::string dependencies_of(const TraceJob& job) const {
    std::string text;
    for (const auto& [kind, on] : job.after) {
      const auto found = ids_.find(on);
      if (found == ids_.end()) {
        throw error(Kind::not_found, "dependency '{}:{}': that job was refused", document::scheme(kind), on);
      }
      if (!text.empty()) text += ',';
      text += fmt::format(R"({{"scheme":"{}","value":"{}"}})", document::scheme(kind), found->second);
    }
    return text;
  }

  void submit(const TraceJob& job) {
    session_.caller = users_.credential(job.user);
    try {
      request::JobGroup request;
      request.jobspec = request::JobspecTemplate::plain(jobspec_of(job, queue_of(job), dependencies_of(job)));
      request.urgency = job.urgency;
      const JobId id = manager::submit_within(*change_, request).front();
      known_.emplace(id, Known{&job});
      if (!job_is_waited_for(job)) return;
      ids_.emplace(job.id, id);
    } catch (const Error& failure) {
      if (failure.kind() == Kind::internal) throw;
      deny(job, failure.what());
    }
  }

  void deny(const TraceJob& job, std::string note) {
    ++over_;
    outcome_.denied.push_back({job.id, std::move(note)});
  }

  [[nodiscard]] bool job_is_waited_for(const TraceJob& job) {
    if (!waited_for_) {
      waited_for_.emplace();
      for (const TraceJob& each : trace_.jobs) {
        for (const auto& [kind, on] : each.after) waited_for_->insert(on);
      }
    }
    return waited_for_->contains(job.id);
  }

  void start(JobId id, double now) {
    const job::Job& job = change_->job(id);
    Known& known = known_.at(id);
    JobRun run;
    run.id = known.job->id;
    run.queue = job.queue;
    run.user = known.job->user;
    run.submit = known.job->submit;
    run.start = now - kEpoch;
    run.ncores = job.ncores;
    if (options_.keep_resources) {
      run.R = document::ResourceSet::parse(transaction_->get(Family::kvs, records::key::r(id)).value_or(""));
      run.R.starttime = run.start;
      run.R.expiration = job.expiration > 0 ? job.expiration - kEpoch : 0;
    }
    known.run = outcome_.runs.size();
    outcome_.runs.push_back(std::move(run));
    plan_end(id, known, now + known.job->runtime);
  }

  void plan_end(JobId id, Known& known, double end) {
    const job::Job& job = change_->job(id);
    JobRun& run = outcome_.runs[known.run];
    run.timed_out = job.expiration > 0 && end > job.expiration;
    known.end = run.timed_out ? job.expiration : end;
    ends_.push({known.end, id, job.attempt});
  }

  // Its tasks end when they are told to.
  void cut_off(JobId id, double now) {
    const auto at = known_.find(id);
    const job::Job* job = change_->find_job(id);
    if (at == known_.end() || at->second.run == kNoRun || job == nullptr) return;
    outcome_.runs[at->second.run].cut_off = true;
    at->second.end = now;
    ends_.push({now, id, job->attempt});
  }

  void obey(JobId id, double) {
    const auto at = known_.find(id);
    if (at == known_.end() || at->second.run == kNoRun) return;
    plan_end(id, at->second, kEpoch + outcome_.runs[at->second.run].start + at->second.job->runtime);
  }

  // False where the stay has ended already, or ends at another time now.
  bool end(const End& end) {
    const auto at = known_.find(end.id);
    if (at == known_.end() || at->second.run == kNoRun || at->second.end != end.time) return false;
    const job::Job& job = change_->job(end.id);
    if (job.attempt != end.attempt) return false;
    JobRun& run = outcome_.runs[std::exchange(at->second.run, kNoRun)];
    manager::FinishRequest request;
    request.id = end.id;
    request.attempt = end.attempt;
    request.t_finish = end.time;
    if (run.timed_out)
      request.exceptions.push_back(
          job::events::exception(end.time, "timeout", 0, "the time limit was reached"));
    request.status = run.timed_out || run.cut_off ? kTerminated : 0;
    manager::finish_job(*change_, request);
    run.end = end.time - kEpoch;
    outcome_.end = std::max(outcome_.end, run.end);
    outcome_.core_seconds += static_cast<double>(run.ncores) * (run.end - run.start);
    return true;
  }

  // Of a job that has changed: what is over is forgotten; one that ended before it ran was denied.
  void notice_end(JobId id) {
    const job::Job* job = change_->find_job(id);
    if (job == nullptr || job->state != job::State::inactive) return;
    const auto at = known_.find(id);
    if (at == known_.end()) return;
    if (job->t_run > 0) {
      ++over_;
    } else {
      deny(*at->second.job, job->exception.note);
    }
    known_.erase(at);
  }

  void tell_waiting() {
    for (const auto& [id, known] : known_) {
      if (known.run != kNoRun) continue;
      const job::Job& job = change_->job(id);
      std::string why =
          job.state == job::State::depend ? "it waits for " + job.dependencies.front() : "it never started";
      if (job.state == job::State::sched && job.urgency == job::kUrgencyHold) why = "it is held";
      outcome_.waiting.push_back({known.job->id, std::move(why)});
    }
    std::sort(outcome_.waiting.begin(), outcome_.waiting.end(),
              [](const DeniedJob& a, const DeniedJob& b) { return a.id < b.id; });
    for (const std::string& queue : change_->queues().names()) {
      const std::string why = change_->queues().state(queue).suspended;
      if (why.empty()) continue;
      const std::uint64_t waiting = outcome_.waiting.size() + untold();
      throw error(Kind::unavailable, "{} never started: {} is suspended: {}", counted(waiting, "job"),
                  queue.empty() ? "scheduling" : fmt::format("queue '{}'", queue),
                  manager::suspension_text(why));
    }
  }

  // Those of the trace that have not come when it is over.
  [[nodiscard]] std::uint64_t untold() const { return static_cast<std::uint64_t>(trace_.jobs.end() - next_); }

  // A scheduler that has failed so often does not get better in pretended time.
  [[nodiscard]] bool scheduler_keeps_failing() {
    for (const std::string& queue : change_->queues().names()) {
      const auto next_try = manager::next_retry(*transaction_, queue);
      Failing& failing = failing_[queue];
      if (change_->queues().state(queue).suspended.empty() && !next_try) failing = {};
      if (!next_try || *next_try == failing.next_try) continue;
      failing.next_try = *next_try;
      if (++failing.times == kMostFailures) return true;
    }
    return false;
  }

  const Trace& trace_;
  const SimulateOptions& options_;
  Users users_;
  std::vector<std::string> queues_;  ///< by name
  PretendedClock clock_;
  manager::Session session_;
  std::shared_ptr<const process::Names> owner_names_ = session_.caller.names;
  store::memory::Database database_;
  std::unique_ptr<store::Transaction> transaction_;
  std::unique_ptr<manager::ChangeSeries> change_;
  std::vector<TraceJob>::const_iterator next_;
  std::unordered_map<JobId, Known> known_;        ///< those that are not over
  std::unordered_map<std::uint64_t, JobId> ids_;  ///< of those that others wait for
  std::optional<std::set<std::uint64_t>> waited_for_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::map<std::string, Failing> failing_;
  bool again_ = false;
  std::uint64_t over_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Trace& trace, const document::Config& config, const SimulateOptions& options) {
  return Machine(trace, config, options).run();
}

}  // namespace fq::sim
