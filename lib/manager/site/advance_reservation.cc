#include "manager/site/advance_reservation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/named_ranks.h"
#include "manager/core/change.h"
#include "manager/core/clock_text.h"
#include "manager/core/inventory.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/pass/stored_pool.h"
#include "manager/pass/stored_reservations.h"
#include "records/advance_reservations.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/keys.h"
#include "sched/matcher.h"

namespace fq::manager {

using document::AdvanceReservation;
using document::ResourceSet;
using notation::Idset;
using notation::JobId;
using store::Family;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

void log_event(Change& change, const std::string& name, const AdvanceReservation& reservation) {
  nlohmann::json context{{"reservation", reservation.number}};
  if (name == "reserve") {
    context["idset"] = reservation.ranks.encode();
    context["start"] = reservation.start;
    context["end"] = reservation.end;
    if (!reservation.reason.empty()) context["reason"] = reservation.reason;
  }
  log_act(change, name, std::move(context));
}

// Jobs that may hold something when a time begins, or what is run after them, with the ranks of their nodes.
std::map<JobId, Idset> held_at(const store::Reader& reader, double time) {
  std::map<JobId, Idset> held;
  for (const auto at = reader.scan_prefix(Family::index, records::key::kAllocationEndPrefix); at->valid();
       at->next()) {
    if (static_cast<double>(records::key::indexed_time(at->key())) * 1e-6 <= time) continue;
    const JobId id = records::key::indexed_job(at->key());
    if (const auto r = reader.get(Family::kvs, records::key::r(id)))
      held.emplace(id, ResourceSet::parse(*r).ranks());
  }
  for (const records::Housekeeping& each : records::read_housekeepings(reader)) {
    if (records::planned_end(each) > time)
      held[each.job] = held[each.job].unite(ResourceSet::parse(each.R).ranks());
  }
  return held;
}

// The nodes that others have reserved in this time.
Idset reserved_between(const store::Reader& reader, double start, double end) {
  Idset ranks;
  for (const AdvanceReservation& each : records::read_advance_reservations(reader)) {
    if (each.start < end && each.end > start) ranks = ranks.unite(each.ranks);
  }
  return ranks;
}

// So many nodes, first those that are free when it begins.
Idset choose(Change& change, std::uint64_t number, double start, double end) {
  const store::Reader& reader = change.transaction();
  const ResourceSet& inventory = change.pool().inventory();
  const Idset all = inventory.ranks().subtract(leaving_ranks(reader, inventory));
  if (number == 0 || number > all.count()) {
    throw Error{Kind::refused, fmt::format("{} cannot be reserved: there are {}", counted(number, "node"),
                                           counted(all.count(), "node"))};
  }
  const Idset open = all.subtract(reserved_between(reader, start, end));
  if (number > open.count()) {
    const std::string left = open.empty() ? "all are" : fmt::format("all but {} are", open.count());
    throw error(Kind::refused, "{} cannot be reserved: {} reserved in that time", counted(number, "node"),
                left);
  }
  Idset in_use;
  for (const auto& [id, ranks] : held_at(reader, start)) in_use = in_use.unite(ranks);
  Idset chosen;
  for (const Idset& from : {open.subtract(in_use), open.intersect(in_use)}) {
    from.for_each([&](std::uint32_t rank) {
      if (chosen.count() < number) chosen.insert(rank);
    });
  }
  return chosen;
}

Idset named(Change& change, const std::string& nodes, double start, double end) {
  const ResourceSet& inventory = change.pool().inventory();
  Idset ranks = document::named_ranks(inventory, nodes);
  for (const AdvanceReservation& each : records::read_advance_reservations(change.transaction())) {
    const Idset both = each.ranks.intersect(ranks);
    if (both.empty() || each.start >= end || each.end <= start) continue;
    throw Error{Kind::refused,
                fmt::format("{} {} reserved already from {} until {} (reservation {})",
                            inventory.subset(both).nodelist(), both.count() == 1 ? "is" : "are",
                            clock_text(each.start), clock_text(each.end), each.number)};
  }
  return ranks;
}

// Numbers of the users, and of those in the groups.
std::vector<std::uint32_t> look_up(const ReserveRequest& request) {
  std::vector<std::uint32_t> userids;
  for (const std::string& user : request.users) {
    const auto userid = process::look_up_user(user);
    if (!userid) throw error(Kind::not_found, "no user {} is known here", quote(user));
    userids.push_back(*userid);
  }
  for (const std::string& group : request.groups) {
    const auto members = process::look_up_members(group);
    if (!members) throw error(Kind::not_found, "no group {} is known here", quote(group));
    userids.insert(userids.end(), members->begin(), members->end());
  }
  std::sort(userids.begin(), userids.end());
  userids.erase(std::unique(userids.begin(), userids.end()), userids.end());
  return userids;
}

// ` for user ada, group staff`; nothing where nobody may use it.
std::string for_whom(const AdvanceReservation& reservation) {
  std::string text;
  const auto add = [&](std::string_view noun, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      text += fmt::format("{} {} {}", text.empty() ? " for" : ",", noun, name);
  };
  add("user", reservation.users);
  add("group", reservation.groups);
  add("queue", reservation.queues);
  return text;
}

// `node[0-1] (reservation 3: new disks) from TIME until TIME for user ada`.
std::string described(const AdvanceReservation& reservation, const std::string& nodelist) {
  return fmt::format("{} (reservation {}{}) from {} until {}{}", nodelist, reservation.number,
                     reservation.reason.empty() ? "" : ": " + reservation.reason,
                     clock_text(reservation.start), clock_text(reservation.end), for_whom(reservation));
}

double until(double expiration) {
  if (expiration > 0) return expiration;
  return kNever;
}

}  // namespace

Reserved reserve_nodes(const Session& session, const ReserveRequest& request) {
  require_operator(session, "reserve nodes");
  const bool has_end =
      std::isfinite(request.start) && std::isfinite(request.duration) && request.duration > 0;
  if (!has_end) throw Error{Kind::invalid, "a reservation has a beginning and an end after it"};
  const std::vector<std::uint32_t> userids = look_up(request);
  Reserved made;
  transact(session, [&](Change& change) {
    require_operator(change, "reserve nodes");
    for (const std::string& queue : request.queues) static_cast<void>(change.queues().require(queue));
    AdvanceReservation& reservation = made.reservation;
    reservation.start = request.start > 0 ? request.start : change.now();
    reservation.end = reservation.start + request.duration;
    if (reservation.end <= change.now())
      throw error(Kind::refused, "it would be over already: it ends at {}", clock_text(reservation.end));
    const auto number = parse_u64(request.nodes);
    reservation.ranks = number ? choose(change, *number, reservation.start, reservation.end)
                               : named(change, request.nodes, reservation.start, reservation.end);
    reservation.users = request.users;
    reservation.groups = request.groups;
    reservation.queues = request.queues;
    reservation.userids = userids;
    reservation.flex = request.flex;
    reservation.reason = request.reason;
    reservation.userid = change.caller().uid;
    reservation.number = records::take_reservation_number(change.transaction());
    records::write_advance_reservation(change.transaction(), reservation);
    change.reservations().make_void();
    log_event(change, "reserve", reservation);
    made.nodelist = change.pool().inventory().subset(reservation.ranks).nodelist();
    made.in_use_by.clear();
    for (const auto& [id, ranks] : held_at(change.transaction(), reservation.start)) {
      const job::Job* job = change.find_job(id);
      if (job == nullptr) continue;  // purged, while what is run after it goes on
      if (!ranks.intersect(reservation.ranks).empty() && !reservation.admits(job->userid, job->queue))
        made.in_use_by.push_back(id);
    }
  });
  return made;
}

void cancel_reservation(const Session& session, std::uint64_t number) {
  transact(session, [&](Change& change) {
    require_operator(change, "cancel reservations");
    for (const AdvanceReservation& each : records::read_advance_reservations(change.transaction())) {
      if (each.number != number || each.end <= change.now()) continue;
      records::erase_advance_reservation(change.transaction(), number);
      change.reservations().make_void();
      log_event(change, "reservation-cancel", each);
      return;
    }
    throw error(Kind::not_found, "reservation {} does not exist", number);
  });
}

std::vector<Reserved> reservations(const store::Reader& reader, double now) {
  const ResourceSet nodes = read_nodes(reader);
  std::vector<Reserved> all;
  for (AdvanceReservation& each : records::read_advance_reservations(reader)) {
    if (each.end <= now) continue;
    Reserved reserved;
    reserved.nodelist = nodes.subset(each.ranks.intersect(nodes.ranks())).nodelist();
    reserved.reservation = std::move(each);
    all.push_back(std::move(reserved));
  }
  return all;
}

std::vector<sched::Closure> closures(const store::Reader& reader, const ResourceSet& inventory, double now) {
  std::vector<sched::Closure> all;
  for (AdvanceReservation& each : records::read_advance_reservations(reader)) {
    const Idset ranks = each.ranks.intersect(inventory.ranks());
    if (each.end <= now || ranks.empty()) continue;
    sched::Closure closure;
    // Of one that others may use, too, only who holds something at its end is in its way.
    closure.start = each.flex ? each.end : each.start;
    closure.end = each.end;
    closure.R = inventory.subset(ranks);
    closure.admits = [reservation = std::move(each)](const sched::AllocRequest& request) {
      return reservation.admits(request.userid, request.queue);
    };
    all.push_back(std::move(closure));
  }
  return all;
}

double end_of_first_reservation(Change& change) {
  double first = kNever;
  for (const AdvanceReservation& each : records::read_advance_reservations(change.transaction())) {
    if (each.end > change.now()) {
      first = std::min(first, each.end);
    } else {
      records::erase_advance_reservation(change.transaction(), each.number);
    }
  }
  return first;
}

std::optional<std::string> run_into(Change& change, const job::Job& job, double expiration) {
  const std::vector<AdvanceReservation> all = records::read_advance_reservations(change.transaction());
  if (all.empty()) return std::nullopt;
  const auto r = change.transaction().get(Family::kvs, records::key::r(job.id));
  if (!r) return std::nullopt;
  const ResourceSet held = ResourceSet::parse(*r);
  for (const AdvanceReservation& each : all) {
    const Idset both = each.ranks.intersect(held.ranks());
    // What it may do anyway is no reason to refuse.
    if (both.empty() || each.admits(job.userid, job.queue) ||
        each.excludes(change.now(), until(job.expiration)) || !each.excludes(change.now(), until(expiration)))
      continue;
    return "it would run into what is reserved: " + described(each, held.subset(both).nodelist());
  }
  return std::nullopt;
}

std::optional<std::string> kept_from(const store::Reader& reader, const sched::AllocRequest& request,
                                     double now) {
  std::vector<Reserved> all = reservations(reader, now);
  std::erase_if(all, [&](const Reserved& each) {
    return each.reservation.admits(request.userid, request.queue) ||
           !each.reservation.excludes(now, request.duration > 0 ? now + request.duration : kNever);
  });
  if (all.empty()) return std::nullopt;
  const auto pool = load_pool(reader);
  sched::Matcher matcher(*pool);
  Idset usable;
  for (const sched::NodeRange& range : matcher.nodes(request)) {
    for (std::size_t node = range.begin; node < range.end; ++node) usable.insert(pool->rank(node));
  }
  std::string text;
  for (const Reserved& each : all) {
    if (each.reservation.ranks.intersect(usable).empty()) continue;
    text += (text.empty() ? "" : "; ") + described(each.reservation, each.nodelist);
  }
  if (text.empty()) return std::nullopt;
  return "it would run into what is reserved: " + text;
}

std::vector<Reserved> reservations(const Session& session) {
  std::vector<Reserved> all;
  query(session, [&](const store::Reader& reader) {
    all = reservations(reader, records::store_time(reader, *session.clock).now);
  });
  return all;
}

}  // namespace fq::manager
