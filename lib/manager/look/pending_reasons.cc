#include "manager/look/pending_reasons.h"

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/dependency.h"
#include "document/resource/resource_set.h"
#include "manager/accounts/use_limits.h"
#include "manager/core/clock_text.h"
#include "manager/core/dependants.h"
#include "manager/core/permission.h"
#include "manager/look/enclosing.h"
#include "manager/look/query.h"
#include "manager/look/why.h"
#include "manager/pass/consultation_due.h"
#include "manager/pass/preemption.h"
#include "manager/pass/schedule_pass.h"
#include "manager/pass/stopped_queues.h"
#include "manager/pass/stored_pool.h"
#include "manager/pass/stored_reservations.h"
#include "manager/site/advance_reservation.h"
#include "process/user/user_database.h"
#include "records/dependant_notice.h"
#include "records/drains.h"
#include "records/housekeeping.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/pending_order.h"
#include "records/store_time.h"
#include "sched/matcher.h"

namespace fq::manager {

using notation::JobId;
using store::Family;

namespace {

std::string dependency_reason(const store::Reader& reader, const job::Job& job,
                              const std::string& description) {
  const document::Dependency dependency = document::parse_description(description);
  if (is_on_a_job(dependency.kind) && records::is_to_be_notified(reader, dependency.job, job.id)) {
    const auto on = records::find_job(reader, dependency.job);
    if (on && dependency_state(dependency.kind, *on) != DependencyState::waiting) {
      return fmt::format("those that wait for job {} are being told of it", dependency.job);
    }
  }
  switch (dependency.kind) {
    case document::DependencyKind::begin_time:
      return fmt::format("it may not begin before {}", clock_text(dependency.begin_time));
    case document::DependencyKind::after_start:
      return fmt::format("job {} has not started", dependency.job);
    case document::DependencyKind::after_any:
      return fmt::format("job {} has not ended", dependency.job);
    case document::DependencyKind::after_ok:
      return fmt::format("job {} has not ended with success", dependency.job);
    case document::DependencyKind::after_notok:
      return fmt::format("job {} has not failed", dependency.job);
    case document::DependencyKind::after_except:
      return fmt::format("no exception has ended job {}", dependency.job);
    case document::DependencyKind::singleton:
      return "another job of that name is active";
  }
  return description;
}

// How many jobs the pass looks at before this one, of its own queue, which is its parent's if it is a virtual
// one, and of others that share its nodes; where its queue starts no jobs, of that and its parent alone.
struct Place {
  std::size_t own = 0, others = 0;
  bool at_least = false;
  std::optional<JobId> head;  ///< the first of its own queue, of those before it
};

Place place_in_queue(const store::Reader& reader, records::Queues& queues, const job::Job& job,
                     std::size_t most, double now) {
  const std::uint32_t group = queues.scheduling(job.queue)->group;
  const bool served = queues.may_start_jobs(job.queue);
  const auto counts = [&](const records::JobClass& c) {
    if (c.queue == job.queue || (!served && queues.served_by(c.queue) == queues.served_by(job.queue)))
      return c.urgency != job::kUrgencyHold;
    return served && records::is_eligible(queues, c) && queues.scheduling(c.queue)->group == group;
  };
  records::PendingOrder order(reader, queues, records::read_classes(reader, counts), now);
  Place place;
  while (const auto entry = order.next()) {
    if (entry->id == job.id) return place;
    if (place.own + place.others == most) {
      place.at_least = true;
      return place;
    }
    const bool is_own = queues.served_by(entry->job_class->queue) == queues.served_by(job.queue);
    if (is_own && !place.head) place.head = entry->id;
    ++(is_own ? place.own : place.others);
  }
  return place;
}

// What the head of its queue waits for, where that holds back those behind it.
std::string head_text(const store::Reader& reader, const Credential& caller, const Place& place) {
  if (!place.head) return {};
  const ListedJob head = find_listed(reader, *place.head);
  const auto& reason = head.reason_pending;
  if (!reason || !Rights(reader, caller).sees(head.job.userid)) return {};
  return fmt::format("{} {} ({})", place.own == 1 && !place.at_least ? ":" : ", first", *place.head, *reason);
}

std::string place_text(const Place& place, const std::string& head) {
  const std::size_t all = place.own + place.others;
  if (all == 0) return place.at_least ? "other jobs come before it" : "it is the next job in the queue";
  std::string text = fmt::format("{}{} job{} before it", place.at_least ? "at least " : "", all,
                                 all == 1 ? " comes" : "s come");
  if (place.others == 0) return text + " in the queue" + head;
  if (place.own == 0) return text + ", in queues that share its nodes";
  return text + fmt::format(", {} of them in queues that share its nodes", place.others);
}

// Which of the jobs inside which it was submitted hold so much that it could not start were all else free.
std::optional<Reason> enclosing_reason(const store::Reader& reader, Rights rights,
                                       const meeting::JobFiles& files, const job::Job& job,
                                       const sched::AllocRequest& request) {
  const auto text = reader.get(Family::kvs, records::key::jobspec(job.id));
  if (!text) return std::nullopt;
  std::vector<JobId> holders;
  std::vector<document::ResourceSet> held;
  for (const JobId id : enclosing_jobs(reader, files, document::Jobspec::parse(*text))) {
    const auto r = reader.get(Family::kvs, records::key::r(id));
    const auto holder = records::find_job(reader, id);
    // The mark is the user's to write: it tells nothing of jobs that they do not see.
    if (!r || !holder->allocated || !rights.sees(holder->userid)) continue;
    holders.push_back(id);
    held.push_back(document::ResourceSet::parse(*r));
  }
  if (holders.empty()) return std::nullopt;
  const auto pool = load_pool(reader);
  pool->release(pool->allocated());
  pool->set_drained(pool->drained(), false);
  sched::Matcher matcher(*pool);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    pool->allocate(held[i]);
    if (matcher.fits_free(request)) continue;
    return Reason{Reason::Kind::enclosing,
                  fmt::format("it cannot start before job {} ends, inside which it was "
                              "submitted and which holds resources that it needs",
                              holders[i])};
  }
  return std::nullopt;
}

class PendingReasons {
 public:
  PendingReasons(const store::Reader& reader, const Session& session, ListedJob listed, std::size_t most)
      : reader_(reader),
        caller_(session.caller),
        files_(session.files()),
        now_(records::store_time(reader, *session.clock).now),
        listed_(std::move(listed)),
        most_(most),
        queues_(reader) {}

  std::vector<Reason> find() {
    const bool held = job().urgency == job::kUrgencyHold, waits_for_jobs = job().state != job::State::sched;
    const bool is_in_line = !held && !waits_for_jobs;
    const document::QueueConfig* queue = queues_.find(job().queue);
    StoppedQueues stopped(reader_, queues_);
    const std::vector<std::string>& blocked = stopped.reasons(job().queue);
    // The pass denies those that it looks at; a queue that is gone may come back with nodes.
    if (queue != nullptr && (!blocked.empty() || !is_in_line)) add_never();
    if (held) add(Reason::Kind::held, "it is held: its urgency is 0");
    if (waits_for_jobs) {
      for (const std::string& description : job().dependencies)
        add(Reason::Kind::dependency, dependency_reason(reader_, job(), description));
    }
    for (const std::string& text : blocked) add(Reason::Kind::stopped, text);
    if (queue == nullptr) return std::move(reasons_);
    add_kept();
    if (is_in_line) add_place(!blocked.empty());
    if (is_in_line && blocked.empty()) add_asked();
    add_drained();
    if (is_in_line) add_resources(!blocked.empty());
    return std::move(reasons_);
  }

 private:
  [[nodiscard]] const job::Job& job() const { return listed_.job; }
  [[nodiscard]] sched::AllocRequest request() const { return alloc_request(job(), 0); }
  // Read once, and only where something asks for it.
  const sched::Pool& pool() {
    if (!pool_) pool_ = load_pool(reader_);
    return *pool_;
  }
  void add(Reason::Kind kind, std::string text) { reasons_.push_back({kind, std::move(text)}); }

  // Jobs, limits and reservations that keep what it needs.
  void add_kept() {
    if (auto reason = enclosing_reason(reader_, Rights(reader_, caller_), files_, job(), request()))
      reasons_.push_back(*std::move(reason));
    if (auto reached = UseLimits(reader_, queues_, now_).reached(job())) {
      add(Reason::Kind::limit, *std::move(reached));
      // That is what the pass said of it, if it was the first of its class.
      listed_.reason_pending.reset();
    }
    if (auto text = kept_from(reader_, request(), now_)) add(Reason::Kind::reserved, *std::move(text));
  }

  // Who comes before it. No job of a queue that starts none is the next one.
  void add_place(bool blocked) {
    if (job().preempted_by != JobId{})
      add(Reason::Kind::turn, fmt::format("it was preempted for job {} and waits again since {}",
                                          job().preempted_by, clock_text(job().t_requeue)));
    add_preempted();
    const Place place = place_in_queue(reader_, queues_, job(), most_, now_);
    is_first_ = place.own + place.others == 0;
    if (!blocked || !is_first_)
      add(Reason::Kind::turn, place_text(place, blocked ? "" : head_text(reader_, caller_, place)));
  }

  // A program whose answer is awaited.
  void add_asked() {
    const auto due = consultation_due(reader_);
    if (due && due->since.contains(queues_.served_by(job().queue)))
      add(Reason::Kind::turn, "the scheduler of its queue, a program, is being asked");
  }

  // What is not free, or not for it, and when that may change.
  void add_resources(bool blocked) {
    if (!blocked) add_housekeeping();
    if (listed_.reason_pending && !blocked) {
      add(Reason::Kind::turn, *listed_.reason_pending);
    } else {
      add_lacking();
      if (!blocked && !is_first_) add_reserved();
    }
    if (listed_.t_estimate)
      add(Reason::Kind::estimate, fmt::format("it may start about {}", clock_text(*listed_.t_estimate)));
  }

  // Those that are preempted for it.
  void add_preempted() {
    if (PreemptionRules(reader_, queues_).of(job()).empty()) return;
    for (const auto at = reader_.scan_prefix(Family::index, records::key::kAllocationEndPrefix); at->valid();
         at->next()) {
      const auto other = records::find_job(reader_, records::key::indexed_job(at->key()));
      if (!other || other->preempted_by != job().id) continue;
      add(Reason::Kind::turn, other->state == job::State::run
                                  ? fmt::format("job {} is preempted for it and ends at {}", other->id,
                                                clock_text(other->t_preempt))
                                  : fmt::format("job {} is preempted for it and is ending", other->id));
    }
  }

  // Where too little is free for it: what is drained of that which it could use.
  void add_drained() {
    const document::Drains drains = records::read_drains(reader_);
    if (drains.empty()) return;
    sched::Matcher matcher(pool());
    if (matcher.fits_free(request())) return;
    const document::ResourceSet& inventory = pool().inventory();
    const std::vector<sched::NodeRange>& usable = matcher.nodes(request());
    const auto may_use = [&](std::uint32_t rank) {
      const auto index = pool().find(rank);
      return index && std::any_of(usable.begin(), usable.end(), [&](const sched::NodeRange& range) {
               return range.begin <= *index && *index < range.end;
             });
    };
    std::map<std::string, notation::Idset> by_text;
    for (const auto& [rank, drain] : drains) {
      if (!may_use(rank)) continue;
      const std::string reason = drain.reason.empty() ? "" : ": " + drain.reason;
      by_text[fmt::format("drained since {} by {}{}", clock_text(drain.time),
                          process::look_up_user_name(drain.userid), reason)]
          .insert(rank);
    }
    for (const auto& [text, ranks] : by_text) {
      add(Reason::Kind::turn, fmt::format("{} {} {}", inventory.subset(ranks).nodelist(),
                                          ranks.count() == 1 ? "is" : "are", text));
    }
  }

  // A pass says nothing of a job that it does not look at because nothing is free.
  void add_lacking() {
    if (!reasons_.empty() && reasons_.front().kind == Reason::Kind::never) return;
    std::string text = sched::Matcher(pool()).why_pending(request());
    if (!text.empty()) add(Reason::Kind::turn, std::move(text));
  }

  // What is not free yet though no job has it.
  void add_housekeeping() {
    if (!records::any_housekeeping(reader_) || sched::Matcher(pool()).fits_free(request())) return;
    for (const records::Housekeeping& each : records::read_housekeepings(reader_))
      add(Reason::Kind::turn, fmt::format("{} is being cleaned up after job {}",
                                          document::ResourceSet::parse(each.R).nodelist(), each.job));
  }

  // Where enough is free for it: for whom that is kept.
  void add_reserved() {
    const std::uint32_t group = queues_.scheduling(job().queue)->group;
    for (const sched::Reservation& each : read_reservations(reader_, pool().inventory())) {
      const auto other = records::find_job(reader_, each.id);
      const auto* queue = other ? queues_.scheduling(other->queue) : nullptr;
      if (queue == nullptr || queue->group != group) continue;
      if (!sched::Matcher(pool()).fits_free(request())) return;
      add(Reason::Kind::turn,
          each.certain ? fmt::format("what is free is reserved for job {}, which may start about {}", each.id,
                                     clock_text(each.start))
                       : fmt::format("what is free is reserved for job {}", each.id));
      return;
    }
  }

  void add_never() {
    if (const auto note = sched::Matcher(pool()).check_feasible(request()))
      add(Reason::Kind::never, fmt::format("it can never run: {}", *note));
  }

  const store::Reader& reader_;
  const Credential& caller_;
  meeting::JobFiles files_;
  double now_;
  ListedJob listed_;
  std::size_t most_;
  records::Queues queues_;
  std::unique_ptr<sched::Pool> pool_;
  bool is_first_ = false;  ///< no job comes before it
  std::vector<Reason> reasons_;
};

}  // namespace

std::vector<Reason> pending_reasons(const store::Reader& reader, const Session& session, ListedJob listed,
                                    std::size_t most_counted) {
  return PendingReasons(reader, session, std::move(listed), most_counted).find();
}

}  // namespace fq::manager
