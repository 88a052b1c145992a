#include "manager/pass/consultation.h"

#include <map>
#include <optional>
#include <utility>

#include "base/fault_point.h"
#include "base/file_lock.h"
#include "base/try_to.h"
#include "manager/engine/store_check.h"
#include "manager/pass/consultation_due.h"
#include "manager/pass/group_requests.h"
#include "manager/pass/group_reservations.h"
#include "manager/pass/pass_source.h"
#include "manager/pass/pending_groups.h"
#include "manager/pass/queue_schedulers.h"
#include "manager/pass/stored_reservations.h"
#include "records/instance.h"
#include "records/job_priorities.h"
#include "records/job_table.h"
#include "records/store_time.h"
#include "sched/decided.h"
#include "sched/pass.h"
#include "store/rocks/snapshot.h"
#include "store/unkept_transaction.h"

namespace fq::manager {
namespace {

using Decisions = sched::Decided::Decisions;

// What the program of a queue has answered.
struct QueueAnswers {
  std::string scheduler;  ///< as it is configured
  Decisions decisions;
};
using Answers = std::map<std::string, QueueAnswers>;

// Those that the passes of a change have not taken.
struct Untaken {
  Answers answers;
};

std::string configured_scheduler(records::Queues& queues, const std::string& queue) {
  const document::QueueConfig* config = queues.find(queue);
  return config == nullptr ? std::string{} : config->policy.scheduler;
}

// Looks what becomes of jobs while programs decide about them.
class Watch {
 public:
  explicit Watch(Change& change)
      : change_(change), seen_(store::rocks::acknowledged_transaction(change.session().store)) {}

  void add(const sched::AllocRequest& request, const std::string& served_by) {
    const job::Job& job = change_.job(request.id);
    watched_[request.id] = {served_by, &job, job.urgency};
  }

  [[nodiscard]] sched::PendingRequests::News news() {
    sched::PendingRequests::News news;
    const Clock& clock = *change_.session().clock;
    const double began = clock.boot_time();
    if (began < next_look_) return news;
    const std::uint64_t last = store::rocks::acknowledged_transaction(change_.session().store);
    if (std::exchange(seen_, last) == last) return news;
    // What cannot be read now is found when it is carried out.
    try_to([&] { query(change_.session(), [&](const store::Reader& reader) { news = compare(reader); }); });
    for (const JobId id : news.withdrawn) watched_.erase(id);
    // A store that changes all the time must not take the time that programs have.
    const double ended = clock.boot_time();
    next_look_ = ended + (ended - began) * kPauses;
    return news;
  }
  /// It has got what it asks for.
  void remove(JobId id) { watched_.erase(id); }

 private:
  static constexpr double kPauses = 9;  // between two looks, in the time that the first took

  struct Watched {
    std::string served_by;
    const job::Job* job = nullptr;  ///< as it was
    std::uint8_t urgency = 0;       ///< as was told last
  };

  sched::PendingRequests::News compare(const store::Reader& reader) {
    sched::PendingRequests::News news;
    records::Queues queues(reader);
    records::JobPriorities priorities(reader, queues,
                                      records::store_time(reader, *change_.session().clock).now);
    for (auto& [id, watched] : watched_) {
      const auto job = records::find_job(reader, id);
      if (!job || !still_asks(queues, watched, *job)) {
        news.withdrawn.push_back(id);
      } else if (job->urgency != watched.urgency) {
        watched.urgency = job->urgency;
        news.priorities.emplace_back(id, priorities.of(*job));
      }
    }
    return news;
  }

  static bool still_asks(records::Queues& queues, const Watched& watched, const job::Job& job) {
    return job.state == job::State::sched && job.urgency != job::kUrgencyHold &&
           job.queue == watched.job->queue && queues.may_start_jobs(job.queue) &&
           queues.served_by(job.queue) == watched.served_by && job.counts == watched.job->counts &&
           job.duration == watched.job->duration && job.constraint == watched.job->constraint;
  }

  Change& change_;
  std::uint64_t seen_;
  double next_look_ = 0;  ///< boot time
  std::map<JobId, Watched> watched_;
};

// The requests of a group as they are, of which those are noted, and watched, that programs are sent.
class NotedRequests final : public sched::PendingRequests {
 public:
  NotedRequests(GroupRequests& requests, Answers& answers, Watch& watch)
      : requests_(requests), answers_(answers), watch_(watch) {}

  [[nodiscard]] std::optional<sched::AllocRequest> next() override {
    auto request = requests_.next();
    if (!request) return request;
    const auto at = answers_.find(served_by());
    if (at == answers_.end()) return request;
    at->second.decisions.answered[request->id].request = *request;
    watch_.add(*request, served_by());
    return request;
  }
  [[nodiscard]] const std::string& served_by() const override { return requests_.served_by(); }
  [[nodiscard]] News news() override { return watch_.news(); }
  void started(const sched::AllocReply& reply) override {
    watch_.remove(reply.id);
    requests_.started(reply);
  }
  void claimed(const sched::AllocReply& reply) override { requests_.claimed(reply); }
  void skip_class() override { requests_.skip_class(); }
  void skip_what_does_not_fit() override { requests_.skip_what_does_not_fit(); }
  void skip_queue() override { requests_.skip_queue(); }

 private:
  GroupRequests& requests_;
  Answers& answers_;
  Watch& watch_;
};

void keep(sched::PassResult result, Answers& answers) {
  for (sched::AllocReply& reply : result.decisions) {
    for (auto& [queue, of_queue] : answers) {
      const auto at = of_queue.decisions.answered.find(reply.id);
      if (at == of_queue.decisions.answered.end()) continue;
      at->second.replies.push_back(std::move(reply));
      break;
    }
  }
  for (sched::Suspension& each : result.suspensions) {
    const auto at = answers.find(each.queue);
    if (at != answers.end()) at->second.decisions.failure = std::move(each.reason);
  }
}

// Makes room for the answers of the programs that serve these; false where there are none. What is asked
// nothing, as limits hold back all its jobs, has answered nothing.
bool any_programs(Change& change, const records::JobClasses& classes, Answers& answers) {
  const std::string* last = nullptr;
  bool any = false;
  for (const records::JobClass& c : classes) {
    if (last != nullptr && *last == c.queue) continue;
    last = &c.queue;
    const std::string& queue = change.queues().served_by(c.queue);
    if (!is_consulted(change, queue)) continue;
    answers[queue].scheduler = configured_scheduler(change.queues(), queue);
    any = true;
  }
  return any;
}

// A pass over what the change reads, of which only what programs say is kept. Queues of the other schedulers
// that share nodes with theirs come in their turn, so that it goes as the one that will carry this out.
// Returns whether they were asked all that there is to ask.
bool ask_programs(Change& change, Answers& answers) {
  if (!inventory_holds(change)) return true;
  bool complete = true;
  Watch watch(change);
  GroupReservations reservations(change);
  Pending pending = pending_jobs(change);
  for (auto& [group, classes] : pending.groups) {
    if (!any_programs(change, classes, answers)) continue;
    PassSource source(change, reservations.of(group), is_shared(change.queues(), group));
    if (!change.reservations().freed()) source.timeline().nothing_was_freed();
    GroupRequests requests(change, std::move(classes), source.timeline());
    NotedRequests noted(requests, answers, watch);
    const auto make = [&](const std::string& queue) { return scheduler_of(change, queue); };
    sched::PassResult result = sched::run_pass(noted, make, source, change.now(), change.room_to_start());
    complete = complete && result.complete;
    keep(std::move(result), answers);
  }
  return complete;
}

// Of what was true when they were asked and need not be now: that a job can never start.
void drop_denials(Answers& answers) {
  for (auto& [queue, of_queue] : answers) {
    for (auto& [id, answered] : of_queue.decisions.answered) {
      std::erase_if(answered.replies,
                    [](const sched::AllocReply& reply) { return reply.type == sched::AllocType::deny; });
    }
  }
}

// False where none are to be asked.
bool consult_once(const Session& session) {
  std::uint64_t number = 0;
  bool complete = false;
  Answers answers;
  {
    const auto snapshot = store::rocks::open_snapshot(session.store, session.lock_timeout_s);
    require_own_store(session.store, *snapshot);
    const auto due = consultation_due(*snapshot);
    if (!due) return false;
    number = due->number;
    // One of an older format is migrated first, by the transaction.
    if (records::read_store_info(*snapshot).format == records::kFormatVersion) {
      store::UnkeptTransaction transaction(*snapshot);
      Change change(session, transaction);
      complete = ask_programs(change, answers);
    }
  }
  fault_point("schedulers-asked");
  const auto carry_out = [&](Change& change) {
    Answers hold = answers;
    const auto due = consultation_due(change.transaction());
    if (complete && due && due->number == number && change.is_untouched()) {
      forget_consultation(change.transaction());
    } else {
      drop_denials(hold);
    }
    std::erase_if(hold, [&](const auto& of) {
      return of.second.scheduler != configured_scheduler(change.queues(), of.first);
    });
    change.kept<Untaken>().answers = std::move(hold);
  };
  transact(session, carry_out, FullDisk::use_reserve);
  return true;
}

}  // namespace

bool is_consulted(Change& change, const std::string& queue) {
  return !change.session().store.empty() && is_external(change.queues(), queue);
}

std::unique_ptr<sched::Scheduler> take_answers(Change& change, const std::string& queue,
                                               std::function<void()> missed) {
  const auto taken = change.kept<Untaken>().answers.extract(queue);
  if (taken.empty()) return nullptr;
  return std::make_unique<sched::Decided>(
      std::move(taken.mapped().decisions), [&change, queue] { note_consultation(change, queue); },
      std::move(missed));
}

bool has_answers(Change& change, const std::string& queue) {
  return change.kept<Untaken>().answers.contains(queue);
}

void forget_answers(Change& change) {
  change.kept<Untaken>().answers.clear();
}

void consult_schedulers(const Session& session) {
  for (;;) {
    auto lock = FileLock::try_acquire(consultation_lock(session.store), LockMode::exclusive);
    if (!lock) return;
    while (consult_once(session)) {
    }
    lock->unlock();
    // Whoever noted it while the lock was held has left it to this process.
    bool due = false;
    query(session, [&](const store::Reader& reader) { due = consultation_due(reader).has_value(); });
    if (!due) return;
  }
}

}  // namespace fq::manager
