#include "sim/machine.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "document/duration_bucket.h"
#include "sched/factory.h"
#include "sched/pass.h"
#include "sched/timeline.h"

namespace fq::sim {

using document::QueueConfig;
using document::ResourceSet;
using notation::JobId;

namespace {

/// The trace begins here: times of R must not be 0, which is none.
constexpr double kEpoch = 1'000'000'000;
constexpr std::uint32_t kPriority = 16;

struct Waiting {
  const TraceJob* job;
  sched::AllocRequest request;
};

/// Jobs that differ in id, time and, within a bucket, duration only, in the order of submission.
using ClassKey = std::tuple<std::string, std::uint32_t, std::uint16_t>;
using Class = std::map<std::pair<double, JobId>, Waiting>;

struct Queue {
  const QueueConfig* config;
  std::string served_by;
  sched::Parameters parameters;
};

/// Queues that share nodes, and what waits in them.
struct Group {
  std::map<ClassKey, Class> classes;
  std::set<std::string> serving;
  std::vector<sched::Reservation> reserved;
  bool due = false;
};

struct Running {
  std::size_t run;  ///< place in the outcome
  sched::AllocationEnd planned;
};

class Machine {
 public:
  Machine(const Trace& trace, const document::Config& config)
      : trace_(trace), pool_(std::make_shared<const ResourceSet>(config.inventory)) {
    pool_.set_drained(config.excluded);
    for (const QueueConfig& queue : config.queues) {
      Queue made{&queue, queue.parent.empty() ? queue.name : queue.parent, {}};
      if (!queue.policy.scheduler.empty())
        made.parameters = sched::read_parameters(parse_json(queue.policy.scheduler, "scheduler"));
      groups_[queue.group].serving.insert(made.served_by);
      queues_.emplace(queue.name, std::move(made));
    }
    default_ = config.default_queue;
    outcome_.ncores = pool_.total().cores;
  }

  Outcome run() {
    auto next = trace_.jobs.begin();
    if (next != trace_.jobs.end()) outcome_.begin = next->submit;
    while (next != trace_.jobs.end() || !ends_.empty()) {
      now_ = next == trace_.jobs.end() ? std::numeric_limits<double>::infinity() : kEpoch + next->submit;
      if (!ends_.empty()) now_ = std::min(now_, ends_.begin()->first);
      for (; !ends_.empty() && ends_.begin()->first <= now_; ends_.erase(ends_.begin()))
        end(ends_.begin()->second);
      for (; next != trace_.jobs.end() && kEpoch + next->submit <= now_; ++next) submit(*next);
      for (auto& [number, group] : groups_) {
        if (std::exchange(group.due, false)) pass(group);
      }
    }
    std::sort(outcome_.runs.begin(), outcome_.runs.end(), [](const JobRun& a, const JobRun& b) {
      return std::tie(a.start, a.id) < std::tie(b.start, b.id);
    });
    return std::move(outcome_);
  }

 private:
  class Pending;
  class Source;

  const std::string& queue_of(const TraceJob& job) const {
    if (job.queue < 1 || static_cast<std::uint64_t>(job.queue) > queues_.size()) return default_;
    return std::next(queues_.begin(), job.queue - 1)->first;
  }

  void submit(const TraceJob& job) {
    const Queue& queue = queues_.at(queue_of(job));
    Waiting waiting{&job, {}};
    sched::AllocRequest& request = waiting.request;
    request.id = JobId{job.id};
    request.priority = kPriority;
    request.userid = static_cast<std::uint32_t>(std::max<std::int64_t>(job.user, 0));
    request.t_submit = kEpoch + job.submit;
    request.counts = {0, job.processors, 0, 1, 0, false};
    request.duration = job.limit > 0 ? job.limit : queue.config->policy.default_duration_s;
    const std::uint16_t bucket = document::duration_bucket(request.duration);
    request.least_duration = document::least_duration(bucket);
    request.constraint = queue.config->constraint;
    request.queue = queue.config->name;

    Group& group = groups_.at(queue.config->group);
    Class& c = group.classes[{request.queue, job.processors, bucket}];
    // Behind its like, and no shorter than the first of them, it cannot start where that did not.
    if (c.empty() || request.duration < c.begin()->second.request.duration) group.due = true;
    c.emplace(std::pair{request.t_submit, request.id}, std::move(waiting));
  }

  void end(JobId id) {
    const auto at = running_.find(id);
    pool_.release(at->second.planned.R);
    planned_ends_.erase({at->second.planned.time, id});
    const JobRun& run = outcome_.runs[at->second.run];
    outcome_.end = std::max(outcome_.end, run.end);
    // Groups share no nodes: those of another one are not free for this.
    groups_.at(queues_.at(run.queue).config->group).due = true;
    running_.erase(at);
  }

  void pass(Group& group);
  void start(Group& group, const sched::AllocReply& reply);

  Waiting take(Group& group, JobId id) {
    const auto& [key, place] = places_.at(id);
    const auto c = group.classes.find(key);
    const auto at = c->second.find(place);
    Waiting waiting = std::move(at->second);
    c->second.erase(at);
    if (c->second.empty()) group.classes.erase(c);
    return waiting;
  }

  const Trace& trace_;
  sched::Pool pool_;
  std::map<std::string, Queue> queues_;
  std::map<std::uint32_t, Group> groups_;
  std::string default_;
  double now_ = 0;
  std::unordered_map<JobId, Running> running_;
  std::multimap<double, JobId> ends_;                ///< as they will be
  std::set<std::pair<double, JobId>> planned_ends_;  ///< as their limits have it
  /// Of those that a pass has seen: the class, and the place in it.
  std::unordered_map<JobId, std::pair<ClassKey, Class::key_type>> places_;
  Outcome outcome_;
};

// The jobs of a group in their order: a merge of its classes by their first members.
class Machine::Pending final : public sched::PendingRequests {
 public:
  Pending(Machine& machine, Group& group) : machine_(machine) {
    for (const auto& [key, c] : group.classes) {
      heads_.insert({tier_of(std::get<0>(key)), c.begin()->first, &c, &key});
    }
  }

  [[nodiscard]] std::optional<sched::AllocRequest> next() override {
    advance();
    while (!heads_.empty()) {
      const Head head = *heads_.begin();
      served_by_ = machine_.queues_.at(std::get<0>(*head.key)).served_by;
      if (left_out_.contains(served_by_)) {
        heads_.erase(heads_.begin());
        continue;
      }
      last_ = true;
      const Waiting& waiting = head.members->at(head.place);
      machine_.places_.insert_or_assign(waiting.request.id, std::pair{*head.key, head.place});
      return waiting.request;
    }
    return std::nullopt;
  }
  [[nodiscard]] const std::string& served_by() const override { return served_by_; }
  void skip_class() override {
    if (std::exchange(last_, false)) heads_.erase(heads_.begin());
  }
  void skip_queue() override { left_out_.insert(served_by_); }

 private:
  struct Head {
    int before;  ///< the tier, the highest first
    std::pair<double, JobId> place;
    const Class* members;
    const ClassKey* key;

    bool operator<(const Head& other) const {
      return std::tie(before, place) < std::tie(other.before, other.place);
    }
  };

  int tier_of(const std::string& queue) const { return -int{machine_.queues_.at(queue).parameters.tier}; }

  void advance() {
    if (!std::exchange(last_, false)) return;
    Head head = *heads_.begin();
    heads_.erase(heads_.begin());
    const auto next = head.members->upper_bound(head.place);
    if (next == head.members->end()) return;
    head.place = next->first;
    heads_.insert(head);
  }

  Machine& machine_;
  std::set<Head> heads_;
  bool last_ = false;  ///< the first of heads_ was served last
  std::string served_by_;
  std::set<std::string> left_out_;
};

class Machine::Source final : public sched::JobManager {
 public:
  Source(Machine& machine, Group& group)
      : machine_(machine),
        at_(machine.planned_ends_.begin()),
        timeline_(
            machine.pool_, machine.now_, [this] { return next_end(); }, std::move(group.reserved),
            group.serving.size() > 1) {}

  [[nodiscard]] sched::Pool& pool() override { return machine_.pool_; }
  [[nodiscard]] sched::Timeline& timeline() override { return timeline_; }
  void for_each_job(const std::function<void(const sched::HelloJob&)>& visit) const override {
    for (const auto& [id, running] : machine_.running_) visit({id, kPriority, 0, 0, running.planned.R});
  }
  [[nodiscard]] std::string jobspec(JobId) const override { return "{}"; }

 private:
  std::optional<sched::AllocationEnd> next_end() {
    if (at_ == machine_.planned_ends_.end()) return std::nullopt;
    return machine_.running_.at((at_++)->second).planned;
  }

  Machine& machine_;
  std::set<std::pair<double, JobId>>::const_iterator at_;
  sched::Timeline timeline_;
};

void Machine::pass(Group& group) {
  ++outcome_.passes;
  sched::PassResult result;
  {
    Source source(*this, group);
    Pending pending(*this, group);
    const auto make = [&](const std::string& queue) {
      return sched::make_scheduler(queues_.at(queue).parameters);
    };
    result = sched::run_pass(pending, make, source, now_, std::numeric_limits<std::size_t>::max());
    group.reserved = source.timeline().reservations(true);
  }
  for (const sched::Suspension& each : result.suspensions)
    throw error(Kind::unavailable, "the scheduler of queue '{}' failed: {}", each.queue, each.reason);
  for (const sched::AllocReply& reply : result.decisions) {
    if (reply.type == sched::AllocType::success) start(group, reply);
    if (reply.type != sched::AllocType::deny) continue;
    static_cast<void>(take(group, reply.id));
    outcome_.denied.push_back({reply.id.value, reply.note});
  }
  places_.clear();
}

void Machine::start(Group& group, const sched::AllocReply& reply) {
  const Waiting waiting = take(group, reply.id);
  const double limit = reply.R->expiration;
  const double end = limit > 0 ? std::min(now_ + waiting.job->runtime, limit) : now_ + waiting.job->runtime;
  JobRun run;
  run.id = waiting.job->id;
  run.queue = waiting.request.queue;
  run.user = waiting.job->user;
  run.submit = waiting.job->submit;
  run.start = now_ - kEpoch;
  run.end = end - kEpoch;
  run.R = *reply.R;
  run.R.starttime = run.start;
  run.R.expiration = limit > 0 ? limit - kEpoch : 0;
  run.ncores = run.R.ncores();
  outcome_.core_seconds += static_cast<double>(run.ncores) * (run.end - run.start);
  Running running{outcome_.runs.size(),
                  {reply.id, limit > 0 ? limit : now_ + document::kEndlessHold, limit > 0, *reply.R}};
  planned_ends_.insert({running.planned.time, reply.id});
  running_.emplace(reply.id, std::move(running));
  ends_.emplace(end, reply.id);
  outcome_.runs.push_back(std::move(run));
}

}  // namespace

Outcome simulate(const Trace& trace, const document::Config& config) {
  return Machine(trace, config).run();
}

}  // namespace fq::sim
