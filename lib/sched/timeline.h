// What is planned on the nodes of a pool: when running jobs will give back what they hold, and what is
// reserved for jobs that wait. The schedulers of queues that share nodes share one, so that a reservation of
// one binds all of them.
//
// A reservation names cores and GPUs. A job may start beside it on others, or on the same if it ends before
// the reservation begins. So that as much as possible stays open to such jobs, a reservation prefers nodes
// that are not free yet.
//
// Reservations bind in the order in which they were made, and are kept from pass to pass: one is planned anew
// only where its nodes, or an end on them, have changed since, and then moves to an earlier time where that
// disturbs no other; only where its place is gone may it take that of one made later. A request that has come
// since, and comes before its job, has the place at once; one that only has come to be before it, as time or
// use would have it, is planned beside it until the pass in which it may lose its place. REQUIRES requests in
// their order.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/resource/resource_set.h"
#include "sched/matcher.h"
#include "sched/pool.h"
#include "sched/preemption.h"
#include "sched/scheduler.h"

namespace fq::sched {

/// What is still given to a job whose time is over, seconds.
inline constexpr double kOverdue = 60;

/// The end of an allocation.
struct AllocationEnd {
  notation::JobId id;
  double time = 0;      ///< seconds since the epoch; without a time limit kEndlessHold after the start
  bool certain = true;  ///< whether there is a time limit
  document::ResourceSet R;
};

/// What is kept for a job that waits.
struct Reservation {
  notation::JobId id;
  std::string request;  ///< request_key of what it was made for
  std::string queue;    ///< by whose scheduler
  double start = 0;     ///< seconds since the epoch
  double end = std::numeric_limits<double>::infinity();
  bool certain = true;    ///< whether all that it waits for has a time limit that is not over
  bool stale = false;     ///< whether what it waits for has changed since it was planned
  double down_since = 0;  ///< from when on nodes of it have not been up; 0: all are, or it does not wait
                          ///< for them
  double made = 0;        ///< when its job got this place among them
  double ranked = 0;      ///< the same, or when others that waited could have had it last
  bool may_lose = false;  ///< whether they may have it in this pass, if they come before its job
  document::ResourceSet R;

  friend bool operator==(const Reservation&, const Reservation&) = default;
};

/// Resources that are kept from some requests in a time that was set beforehand, whatever waits.
struct Closure {
  double start = 0, end = 0;  ///< who would have some of them between these is in its way
  document::ResourceSet R;
  std::function<bool(const AllocRequest&)> admits;  ///< for whom it is not there
};

/// What a reservation is made for; it does not hold for another request of the job.
[[nodiscard]] std::string request_key(const AllocRequest& request);
/// Whether `each` waits for the end of the other, on nodes that both have.
[[nodiscard]] bool follows(const Reservation& each, const Reservation& other);

class Timeline {
 public:
  /// Yields the ends of what is allocated when the pass begins, in the order of time; then nothing.
  using Ends = std::function<std::optional<AllocationEnd>()>;

  /// `pool` outlives this, and is changed by it alone while it lives; `kept` are the reservations of the last
  /// pass, in the order made. `shared`: several queues use the pool. `like` knows the inventory. REQUIRES
  /// closures that end later than `now`.
  Timeline(Pool& pool, double now, Ends ends, std::vector<Reservation> kept, bool shared,
           std::vector<Closure> closures = {}, const Matcher* like = nullptr);
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Nothing has come free since the last pass but by what was known then: a job whose time was reserved, and
  /// has not come, cannot start yet.
  void nothing_was_freed() { freed_ = false; }

  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] Pool& pool() { return pool_; }
  /// Of the pool as it is, reservations left out of account.
  [[nodiscard]] Matcher& matcher() { return matcher_; }

  /// What the request gets now without delaying a reservation that was made for an earlier one. Taken, and
  /// its own reservation dropped. Where it cannot start, `stays` says that what is reserved for it keeps its
  /// cores as long as its time is the earliest: then it is feasible whatever comes. Else they are chosen
  /// anew.
  [[nodiscard]] std::optional<document::ResourceSet> start(const AllocRequest& request, MatchPolicy policy,
                                                           bool stays);

  /// Takes `r` for a request that starts now, as somebody else has chosen it. False, and nothing is taken,
  /// where part of it is not free, or a reservation made in this pass would be delayed.
  [[nodiscard]] bool grant(const AllocRequest& request, const document::ResourceSet& r);

  /// Whether a request like this one could start now if it lasted no longer than `duration` (0: no limit).
  [[nodiscard]] bool could_start(const AllocRequest& request, double duration);
  /// Reserves the earliest time at which the request can start, beside all that is reserved. Nothing where no
  /// end of a job would make room for it, or not before the inventory ends. Valid until it is dropped.
  const Reservation* reserve(const AllocRequest& request, MatchPolicy policy, std::string_view queue);
  /// What is reserved for it; null: nothing.
  [[nodiscard]] const Reservation* reserved_for(notation::JobId id) const;
  /// How many reservations the queue has.
  [[nodiscard]] std::size_t reserved_by(std::string_view queue) const;
  /// Whether the queue has one whose job was not asked for in this pass yet.
  [[nodiscard]] bool has_unasked(std::string_view queue) const;
  /// The jobs of those, of all queues.
  [[nodiscard]] std::vector<notation::JobId> unasked() const;
  /// Of a queue whose jobs start in their order: one that is not for the first of them is dropped.
  void keep_first(std::string_view queue, notation::JobId first);
  /// Whether a reservation kept a request from having one, that it may lose at another time.
  [[nodiscard]] bool withstood() const { return withstood_; }
  void note_withstood() { withstood_ = true; }

  /// Which of `jobs`, of which the first are preferred, must give back by `end` what they hold for the
  /// request to start then, beside what is reserved for earlier ones: none that is not needed. None at all
  /// where it can start without, or not even with all of them.
  [[nodiscard]] std::vector<notation::JobId> victims(const AllocRequest& request,
                                                     const std::vector<const Preemptible*>& jobs, double end);
  /// What these hold is given back at `end`, if no earlier end is known.
  void end_early(const std::vector<notation::JobId>& jobs, double end);
  /// What is reserved for the job is not to be had by others before that begins either; when it may start is
  /// not known to them.
  void hold_from_now(notation::JobId id);

  /// Visits what was taken in this pass, and is still held.
  void for_each_started(const std::function<void(const AllocationEnd&)>& visit) const;

  /// What a job holds is given back, or a part of it.
  void release(notation::JobId id, const document::ResourceSet& released);
  /// The reservation for a request that no longer waits; nothing where there is none.
  void drop(notation::JobId id);
  /// These are asked for anew: what was reserved for them is as if of the last pass.
  void begin_again(const std::vector<notation::JobId>& ids);
  /// The first job whose reservation an allocation would delay if it lasted until `end` (0: for ever).
  [[nodiscard]] const Reservation* delayed_by(notation::JobId id, double end);

  /// In the order made; where the pass was not complete also what is kept and was not asked for.
  [[nodiscard]] std::vector<Reservation> reservations(bool complete) const;

 private:
  struct View;
  class Search;
  using Started = std::multimap<double, AllocationEnd>;
  /// A reservation that holds, and whether its job was asked for in this pass.
  struct Entry {
    Reservation of;
    bool asked = false;
  };
  using Entries = std::list<Entry>;
  /// What a request must not disturb: reservations for requests before it at all, even if it never ended;
  /// those for requests after it as far as is planned.
  struct Beside {
    std::vector<const Reservation*> earlier, later;
  };

  /// Until the last one known is later than that.
  void load_ends(double until);
  [[nodiscard]] std::optional<Reservation> earliest(const AllocRequest& request, MatchPolicy policy,
                                                    const Beside& beside, const Reservation* kept);
  /// What is reserved, and closures.
  [[nodiscard]] Beside earlier_ones(const AllocRequest& request) const;
  /// The same, and of those that have lost their place the ones that come after the job.
  [[nodiscard]] Beside others(const AllocRequest& request) const;
  /// The same for one that has a reservation: which were made before it and after it.
  [[nodiscard]] Beside around(Entries::const_iterator own, const AllocRequest& request) const;
  /// Of what the request may have until `end` without being in the way of one of those made, or a closure.
  [[nodiscard]] Matcher& beside(const AllocRequest& request, double end);
  /// When it ends at the latest; infinity where nothing limits it.
  [[nodiscard]] double end_of(const AllocRequest& request, double start) const;
  [[nodiscard]] double planned_end_of(const AllocRequest& request, double start) const;
  void take(const AllocRequest& request, const document::ResourceSet& r);
  /// Of those that have lost their place, drops the ones that this contradicts.
  void outrank(double start, double end, const document::ResourceSet& r);
  [[nodiscard]] Entries::iterator find(notation::JobId id);
  Entries::iterator erase(Entries::iterator at);
  void mark_followers(const Reservation& gone);
  void forget_views();
  /// Those before `own` that were not asked for, and may lose their place to the request, have lost it.
  void take_places(Entries::const_iterator own, const AllocRequest& request);
  /// Those that begin before all that is overdue has ended are as that ends.
  void look_for_overdue();
  [[nodiscard]] std::optional<document::ResourceSet> start_own(Entries::iterator own,
                                                               const AllocRequest& request,
                                                               MatchPolicy policy, bool stays);
  /// Plans it anew; it is over where that is now, or nowhere.
  [[nodiscard]] std::optional<document::ResourceSet> plan_anew(Entries::iterator own,
                                                               const AllocRequest& request,
                                                               MatchPolicy policy, bool stays);
  /// What the request of a reservation gets now beside the others.
  [[nodiscard]] std::optional<document::ResourceSet> match_beside(Entries::const_iterator own,
                                                                  const AllocRequest& request,
                                                                  MatchPolicy policy);

  Pool& pool_;
  Matcher matcher_;
  double now_;
  Ends next_end_;
  bool all_ends_known_ = false;
  std::deque<AllocationEnd> ends_;      ///< by time; what is loaded stays where it is
  std::vector<AllocationEnd> overdue_;  ///< not in ends_ yet
  Started started_;                     ///< in this pass, by their ends
  Entries made_;                        ///< in order
  std::size_t unasked_ = 0;             ///< of them
  bool withstood_ = false;
  bool freed_ = true;  ///< something that the last pass did not know of, since then or in this one
  std::map<notation::JobId, Reservation> kept_;  ///< that have lost their place
  std::vector<notation::JobId> kept_order_;
  std::optional<Reservation> planned_;  ///< for the request that could not start
  struct Closed {
    Reservation of;  ///< no job's
    std::function<bool(const AllocRequest&)> admits;
  };
  std::vector<Closed> closed_;
  /// Which closures a view leaves out, and how many of those made.
  using Left = std::pair<std::vector<const Reservation*>, std::size_t>;
  std::map<Left, std::unique_ptr<View>> views_;
  bool shared_;
};

}  // namespace fq::sched
