#include "manager/site/drain.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/named_ranks.h"
#include "manager/core/change.h"
#include "manager/core/inventory.h"
#include "manager/core/permission.h"
#include "manager/pass/stored_reservations.h"
#include "notation/hostlist.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::manager {

using document::ResourceSet;
using notation::Idset;

namespace {

std::string nodes_text(const ResourceSet& inventory, const Idset& ranks) {
  return fmt::format("{} {}", ranks.count() == 1 ? "node" : "nodes", inventory.subset(ranks).nodelist());
}

void log_event(Change& change, const std::string& name, const Idset& ranks, std::uint32_t userid,
               const std::string& reason = {}) {
  document::Event event;
  event.timestamp = change.now();
  event.name = name;
  event.context = {{"idset", ranks.encode()}, {"userid", userid}};
  if (!reason.empty()) event.context["reason"] = reason;
  records::log_instance_event(change.transaction(), event);
}

// Whoever was drained before keeps the time of that, unless it is renewed.
void take_out_of_use(Change& change, const Idset& ranks, const std::string& reason, std::uint32_t userid,
                     bool renewed = false) {
  if (ranks.empty()) return;
  const document::Drains before = records::read_drains(change.transaction());
  ranks.for_each([&](std::uint32_t rank) {
    const auto known = before.find(rank);
    const double since = known == before.end() || renewed ? change.now() : known->second.time;
    records::write_drain(change.transaction(), rank, {reason, since, userid});
  });
  change.pool().set_drained(ranks);
  log_event(change, "drain", ranks, userid, reason);
}

// The drained ranks of `targets` that the request must leave alone.
Idset kept_drained(const document::Drains& drains, const Idset& targets, const DrainRequest& request) {
  using Drained = DrainRequest::Drained;
  Idset kept;
  if (request.drained == Drained::overwrite || request.drained == Drained::renew) return kept;
  for (const auto& [rank, drain] : drains) {
    const bool takes_reason = drain.reason.empty() && !request.reason.empty();
    if (targets.contains(rank) && (request.drained == Drained::keep || !takes_reason)) kept.insert(rank);
  }
  return kept;
}

void refuse_excluded(const ResourceSet& excluded, const std::string& targets) {
  if (excluded.empty()) return;
  const Idset named = notation::is_idset_text(targets)
                          ? Idset::decode(targets)
                          : excluded.ranks_on(notation::Hostlist::decode(targets));
  const Idset among = named.intersect(excluded.ranks());
  if (among.empty()) return;
  throw Error{Kind::refused,
              fmt::format("{} {} excluded", nodes_text(excluded, among), among.count() == 1 ? "is" : "are"),
              "resource.exclude in the configuration keeps it from jobs already"};
}

}  // namespace

Idset drain_nodes(const Session& session, const DrainRequest& request) {
  Idset targets;
  transact(session, [&](Change& change) {
    require_operator(change, "drain nodes");
    const ResourceSet& inventory = change.pool().inventory();
    refuse_excluded(read_excluded(change.transaction()), request.targets);
    targets = document::named_ranks(inventory, request.targets);
    const Idset already = kept_drained(records::read_drains(change.transaction()), targets, request);
    if (!already.empty() && request.drained == DrainRequest::Drained::refuse) {
      throw Error{Kind::refused,
                  fmt::format("{} {} drained already", nodes_text(inventory, already),
                              already.count() == 1 ? "is" : "are"),
                  "--force replaces the reason, --update passes them over"};
    }
    targets = targets.subtract(already);
    take_out_of_use(change, targets, request.reason, change.caller().uid,
                    request.drained == DrainRequest::Drained::renew);
  });
  return targets;
}

void drain(Change& change, const Idset& ranks, const std::string& reason) {
  const document::Drains before = records::read_drains(change.transaction());
  take_out_of_use(change, ranks.subtract(records::drained_ranks(change.transaction())), reason,
                  change.info().owner);
  for (const auto& [rank, known] : before) {
    // What stands there fills a line by then.
    constexpr std::size_t kLongest = 1024;
    if (!ranks.contains(rank) || known.reason.find(reason) != std::string::npos) continue;
    if (known.reason.size() + reason.size() > kLongest) continue;
    const std::string both = known.reason.empty() ? reason : fmt::format("{}; {}", known.reason, reason);
    take_out_of_use(change, Idset::from_range(rank, rank), both, known.userid);
  }
}

void drain_unkillable(Change& change, notation::JobId id) {
  const auto text = change.transaction().get(store::Family::kvs, records::key::r(id));
  if (!text) throw error(Kind::internal, "job {} runs but has no R", id);
  drain(change, ResourceSet::parse(*text).ranks(), fmt::format("unkillable user processes for job {}", id));
}

Idset undrain_nodes(const Session& session, const std::string& targets, bool force,
                    const std::string& reason) {
  Idset ranks;
  transact(session, [&](Change& change) {
    require_operator(change, "undrain nodes");
    const ResourceSet& inventory = change.pool().inventory();
    refuse_excluded(read_excluded(change.transaction()), targets);
    ranks = document::named_ranks(inventory, targets);
    const Idset in_use = ranks.subtract(records::drained_ranks(change.transaction()));
    if (!in_use.empty() && !force) {
      throw Error{
          Kind::refused,
          fmt::format("{} {} not drained", nodes_text(inventory, in_use), in_use.count() == 1 ? "is" : "are"),
          "--force passes them over"};
    }
    ranks = ranks.subtract(in_use);
    if (ranks.empty()) return;
    ranks.for_each([&](std::uint32_t rank) { records::erase_drain(change.transaction(), rank); });
    change.pool().set_drained(ranks.subtract(leaving_ranks(change.transaction(), inventory)), false);
    change.reservations().note_freed();
    log_event(change, "undrain", ranks, change.caller().uid, reason);
  });
  return ranks;
}

}  // namespace fq::manager
