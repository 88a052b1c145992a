#include "manager/pass/group_reservations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "manager/pass/queue_schedulers.h"
#include "manager/pass/schedule_pass.h"
#include "manager/pass/stored_reservations.h"
#include "sched/matcher.h"

namespace fq::manager {

using sched::Reservation;

namespace {

// What becomes of a node of a reservation.
enum class Nodes { up, down, gone };

Nodes state_of(const sched::Pool& pool, const document::ResourceSet& r) {
  auto state = Nodes::up;
  for (const document::ResourceSet::Node& node : r.nodes()) {
    const auto place = pool.find(node.rank);
    if (!place) return Nodes::gone;
    if (!pool.usable(*place)) state = Nodes::down;
  }
  return state;
}

}  // namespace

bool GroupReservations::rank_anew(const std::string& queue) {
  const double ranked = change_.reservations().ranked();
  const double period = change_.priorities().facts().parameters(queue).period_s;
  return ranked == 0 || std::floor(ranked / period) != std::floor(change_.now() / period);
}

double GroupReservations::next_rank(const std::string& queue) {
  const double period = change_.priorities().facts().parameters(queue).period_s;
  return (std::floor(change_.now() / period) + 1) * period;
}

bool GroupReservations::outlives_down(Reservation& reservation, const job::Job& job) {
  const sched::Pool& pool = change_.pool();
  const Nodes nodes = pool.all_usable() ? Nodes::up : state_of(pool, reservation.R);
  if (nodes == Nodes::down) {
    if (reservation.down_since == 0) reservation.down_since = change_.now();
    const double end = reservation.down_since + kReservationOutlivesDown;
    if (change_.now() < end) {
      next_end_ = std::min(next_end_, end);
      return true;
    }
  }
  if (nodes != Nodes::up || reservation.down_since > 0) {
    reservation.stale = true;
    change_.reservations().note_freed();
  }
  reservation.down_since = 0;
  return nodes == Nodes::up || change_.matcher().fits_usable(alloc_request(job, 0));
}

std::vector<Reservation> GroupReservations::of(std::uint32_t group) {
  std::vector<Reservation> result, gone;
  records::Queues& queues = change_.queues();
  for (const Reservation& each : change_.reservations().all()) {
    const job::Job* job = each.id == JobId{} ? nullptr : change_.find_job(each.id);
    const bool waits = job != nullptr && job->state == job::State::sched && job->urgency != job::kUrgencyHold;
    if (waits && queues.may_start_jobs(job->queue)) {
      if (queues.scheduling(job->queue)->group != group) continue;
      Reservation& kept = result.emplace_back(each);
      kept.queue = queues.served_by(job->queue);
      kept.ranked = std::max(kept.made, change_.reservations().ranked());
      kept.may_lose = rank_anew(job->queue);
      if (outlives_down(kept, *job)) continue;
      result.pop_back();
    }
    gone.push_back(each);
  }
  if (!gone.empty()) change_.reservations().note_freed();
  for (const Reservation& each : gone) {
    for (Reservation& kept : result) kept.stale = kept.stale || sched::follows(kept, each);
  }
  return result;
}

void GroupReservations::add(std::vector<Reservation> made) {
  for (const Reservation& each : made) ranked_ = ranked_ || rank_anew(each.queue);
  std::move(made.begin(), made.end(), std::back_inserter(made_));
}

void GroupReservations::write() {
  StoredReservations& stored = change_.reservations();
  const double ranked = ranked_ ? change_.now() : stored.ranked();
  stored.replace(change_.transaction(), std::move(made_), ranked, change_.effects().pass_unfinished);
}

}  // namespace fq::manager
