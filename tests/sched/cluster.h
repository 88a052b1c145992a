// A machine on which jobs come, wait and run in pretended time: passes as the job manager runs them, at every
// instant at which a job comes or ends.

#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "document/jobspec/duration_bucket.h"
#include "sched/pass.h"
#include "sched/support.h"

namespace fq::sched::test {

struct ClusterJob {
  std::uint64_t id = 0;
  double submit = 0;
  AllocRequest request;    ///< with its duration, priority and queue; what else is in it is filled in
  double runtime = 0;      ///< 0: all of its duration
  std::uint16_t tier = 0;  ///< of its queue
};

class Cluster {
 public:
  using Schedulers = std::function<std::unique_ptr<Scheduler>(const std::string& queue)>;

  Cluster(const std::vector<Shape>& shapes, Schedulers schedulers, bool shared = false)
      : shapes_(shapes), free_(inventory(shapes)), schedulers_(std::move(schedulers)), shared_(shared) {}

  struct Run {
    double start = 0, end = 0;
    document::ResourceSet R;
  };
  std::map<std::uint64_t, Run> runs;
  std::map<std::uint64_t, double> promised;  ///< what was reserved first
  std::map<std::uint64_t, double> latest;    ///< the latest that was reserved ever
  std::size_t passes = 0;
  std::vector<Closure> closures;  ///< their ends make passes, too

  // Until all have ended. Throws where something is given twice.
  void run(std::vector<ClusterJob> jobs) {
    std::map<double, std::vector<ClusterJob>> arrivals;
    for (ClusterJob& job : jobs) arrivals[job.submit].push_back(std::move(job));
    std::set<double> wakes;
    for (const Closure& each : closures) wakes.insert(each.end);
    while (!arrivals.empty() || !ends_.empty() || !wakes.empty()) {
      double now = std::numeric_limits<double>::infinity();
      if (!arrivals.empty()) now = arrivals.begin()->first;
      if (!ends_.empty()) now = std::min(now, ends_.begin()->first);
      if (!wakes.empty()) now = std::min(now, *wakes.begin());
      wakes.erase(now);
      for (; !ends_.empty() && ends_.begin()->first <= now; ends_.erase(ends_.begin()))
        end(ends_.begin()->second);
      if (!arrivals.empty() && arrivals.begin()->first <= now) {
        for (ClusterJob& job : arrivals.begin()->second) come(std::move(job));
        arrivals.erase(arrivals.begin());
      }
      pass(now);
    }
  }

 private:
  /// At its boundaries reservations may lose their places, seconds.
  static constexpr double kPeriod = 60;

  static std::string class_of(const AllocRequest& request) {
    AllocRequest like = request;
    like.duration = document::duration_bucket(request.duration);
    return fmt::format("{} {} {}", request_key(like), request.queue, request.priority);
  }

  class Pending final : public PendingRequests {
   public:
    explicit Pending(const std::vector<ClusterJob>& jobs) : jobs_(jobs) {}
    std::optional<AllocRequest> next() override {
      for (; at_ < jobs_.size(); ++at_) {
        const AllocRequest& request = jobs_[at_].request;
        if (queues_.contains(request.queue) || classes_.contains(class_of(request))) continue;
        last_ = request;
        ++at_;
        return last_;
      }
      return std::nullopt;
    }
    const std::string& served_by() const override { return last_.queue; }
    void skip_class() override { classes_.insert(class_of(last_)); }
    void skip_queue() override { queues_.insert(last_.queue); }

   private:
    const std::vector<ClusterJob>& jobs_;
    std::size_t at_ = 0;
    AllocRequest last_;
    std::set<std::string> queues_, classes_;
  };

  void come(ClusterJob job) {
    job.request.id = {job.id};
    job.request.t_order = job.request.t_submit = job.request.t_pending = job.submit;
    job.request.least_duration = document::least_duration(document::duration_bucket(job.request.duration));
    waiting_.push_back(std::move(job));
    std::sort(waiting_.begin(), waiting_.end(), [](const ClusterJob& a, const ClusterJob& b) {
      return std::tuple{b.tier, b.request.priority, a.submit, a.id} <
             std::tuple{a.tier, a.request.priority, b.submit, b.id};
    });
  }

  void end(std::uint64_t id) {
    const document::ResourceSet& held = running_.at(id).R;
    free_.release(held);
    for (Reservation& each : kept_) each.stale = each.stale || each.R.ranks().intersects(held.ranks());
    running_.erase(id);
  }

  void pass(double now) {
    ++passes;
    const bool ranks = std::floor(now / kPeriod) != std::floor(last_pass_ / kPeriod);
    last_pass_ = now;
    for (Reservation& each : kept_) {
      each.may_lose = ranks;
      each.ranked = std::max(each.made, last_rank_);
    }
    if (ranks) last_rank_ = now;
    FakeManager manager(shapes_, now);
    for (const auto& [id, run] : running_) manager.runs(id, run.R, run.R.expiration);
    manager.keeps(kept_);
    if (shared_) manager.shares();
    std::vector<Closure> to_come;
    std::copy_if(closures.begin(), closures.end(), std::back_inserter(to_come),
                 [&](const Closure& each) { return each.end > now; });
    manager.closes(std::move(to_come));
    Pending pending(waiting_);
    const PassResult result = run_pass(pending, schedulers_, manager, now, 1000000);
    if (!result.suspensions.empty()) throw std::runtime_error(result.suspensions.front().reason);
    for (const AllocReply& reply : result.decisions) {
      if (reply.type == AllocType::success) start(reply.id.value, *reply.R, now);
      if (reply.type == AllocType::deny) waiting_.erase(find(reply.id.value));
    }
    kept_ = manager.timeline().reservations(result.complete);
    for (const Reservation& each : kept_) {
      promised.try_emplace(each.id.value, each.start);
      latest[each.id.value] = std::max(latest[each.id.value], each.start);
    }
  }

  std::vector<ClusterJob>::iterator find(std::uint64_t id) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const ClusterJob& job) { return job.id == id; });
  }

  void start(std::uint64_t id, const document::ResourceSet& r, double now) {
    const auto job = find(id);
    const double lasts = job->runtime > 0 ? job->runtime : job->request.duration;
    free_.allocate(r);  // throws where a core is given twice
    const Run run{now, now + lasts, r};
    running_.emplace(id, run);
    runs.emplace(id, run);
    ends_.emplace(run.end, id);
    waiting_.erase(job);
  }

  std::vector<Shape> shapes_;
  Pool free_;
  Schedulers schedulers_;
  bool shared_;
  std::vector<ClusterJob> waiting_;  ///< in the one order
  std::map<std::uint64_t, Run> running_;
  std::multimap<double, std::uint64_t> ends_;
  std::vector<Reservation> kept_;
  double last_pass_ = 0, last_rank_ = 0;
};

}  // namespace fq::sched::test
