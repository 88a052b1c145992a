#include "sched/pass.h"

#include <exception>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fq::sched {

using notation::JobId;

namespace {

class Pass {
 public:
  Pass(PendingRequests& pending, const MakeScheduler& make_scheduler, JobManager& manager, double now,
       std::size_t most_starts)
      : pending_(pending),
        make_scheduler_(make_scheduler),
        manager_(manager),
        now_(now),
        most_starts_(most_starts) {}

  PassResult run() {
    while (!full()) {
      tell_news();
      const auto request = pending_.next();
      if (!request) break;
      Served& served = serve(pending_.served_by());
      guard(served, [&] { offer(served, *request); });
    }
    for (auto& [queue, served] : queues_) {
      guard(served, [&, &each = served] { take(each, each.scheduler->finish()); });
    }
    result_.complete = !full();
    return std::move(result_);
  }

 private:
  // A queue and its scheduler.
  struct Served {
    std::string queue;
    std::unique_ptr<Scheduler> scheduler;  ///< made for the first request
    Ready ready;
    std::unordered_map<JobId, bool> outstanding;  ///< true: passed over
    bool suspended = false;
  };

  [[nodiscard]] bool full() const { return starts_ >= most_starts_; }

  Served& serve(const std::string& queue) {
    const auto [at, is_new] = queues_.try_emplace(queue);
    if (is_new) at->second.queue = queue;
    return at->second;
  }

  // What a scheduler throws is the end of its queue's pass, and of nothing else.
  template <typename Call>
  void guard(Served& served, const Call& call) {
    if (served.suspended) return;
    try {
      call();
    } catch (const std::exception& failure) {
      served.suspended = true;
      served.outstanding.clear();
      result_.suspensions.push_back({served.queue, failure.what()});
      pending_.skip_queue();
    }
  }

  // Of those that are outstanding.
  void tell_news() {
    const PendingRequests::News news = pending_.news();
    if (news.empty()) return;
    for (auto& [queue, served] : queues_) {
      guard(served, [&, &each = served] {
        for (const JobId id : news.withdrawn) {
          if (each.outstanding.contains(id)) take(each, each.scheduler->cancel(id));
        }
        if (each.scheduler && !news.priorities.empty())
          take(each, each.scheduler->prioritize(news.priorities));
      });
    }
  }

  void offer(Served& served, const AllocRequest& request) {
    if (!served.scheduler) {
      served.scheduler = make_scheduler_(served.queue);
      served.scheduler->hello(manager_, now_);
      served.ready = served.scheduler->ready();
    }
    while (!full() && limit_reached(served)) {
      if (!make_room(served)) return pending_.skip_queue();
    }
    if (full()) return;
    served.outstanding.emplace(request.id, false);
    class_is_done_ = false;
    take(served, served.scheduler->alloc(request));
    if (class_is_done_) pending_.skip_class();
  }

  static bool limit_reached(const Served& served) {
    return served.ready.mode == Ready::Mode::limited && served.outstanding.size() >= served.ready.limit;
  }

  // Takes back the requests that wait for nodes which are not up. False when all others must be waited for.
  bool make_room(Served& served) {
    for (const auto& [id, passed_over] : served.outstanding) {
      if (!passed_over) continue;
      take(served, served.scheduler->cancel(id));
      return true;
    }
    return false;
  }

  void take(Served& served, std::vector<AllocReply> replies) {
    for (AllocReply& reply : replies) take(served, std::move(reply));
  }

  void take(Served& served, AllocReply reply) {
    const auto request = served.outstanding.find(reply.id);
    if (request == served.outstanding.end()) return;
    if (reply.type == AllocType::annotate) {
      request->second = reply.passed_over;
      // Where nodes are not up, they are not for the whole class.
      class_is_done_ = class_is_done_ || reply.passed_over || reply.for_class;
      if (reply.only_what_fits) pending_.skip_what_does_not_fit();
      if (reply.claims && claimed_.insert(reply.id).second) pending_.claimed(reply);
      result_.preemptions.insert(result_.preemptions.end(), reply.preempts.begin(), reply.preempts.end());
      reply.preempts.clear();
      reply.claims.reset();
      if (reply.annotations.empty()) return;
    } else {
      served.outstanding.erase(request);
    }
    if (reply.type == AllocType::cancel) return;
    if (reply.type == AllocType::success) {
      ++starts_;
      pending_.started(reply);
    }
    result_.decisions.push_back(std::move(reply));
  }

  PendingRequests& pending_;
  const MakeScheduler& make_scheduler_;
  JobManager& manager_;
  double now_;
  std::size_t most_starts_;
  std::size_t starts_ = 0;
  bool class_is_done_ = false;  ///< of the request that is offered
  std::unordered_set<JobId> claimed_;
  std::map<std::string, Served, std::less<>> queues_;
  PassResult result_;
};

}  // namespace

PassResult run_pass(PendingRequests& pending, const MakeScheduler& make_scheduler, JobManager& manager,
                    double now, std::size_t most_starts) {
  return Pass(pending, make_scheduler, manager, now, most_starts).run();
}

}  // namespace fq::sched
