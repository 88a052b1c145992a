#include "manager/reload.h"

#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "manager/change.h"
#include "manager/configure.h"
#include "manager/permission.h"
#include "manager/stored_pool.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/queues.h"

namespace fq::manager {

using document::ResourceSet;
using notation::Idset;
using store::Family;

namespace {

constexpr std::string_view kLeaving = "not in the inventory any more";

// The wanted nodes with the ranks of `before`, and ranks above all of its for hosts that it does not have.
ResourceSet keep_ranks(const ResourceSet& wanted, const ResourceSet& before) {
  ResourceSet kept;
  std::map<std::uint32_t, std::uint32_t> rank_of;  // by rank in `wanted`
  std::set<std::string> hosts;
  std::uint32_t fresh = before.empty() ? 0 : before.ranks().last() + 1;
  for (const ResourceSet::Node& node : wanted.nodes()) {
    if (!hosts.insert(node.host).second)
      throw error(Kind::invalid, "R: host {} is named twice", quote(node.host));
    const Idset known = before.ranks_on(node.host);
    const std::uint32_t rank = known.empty() ? fresh++ : known.first();
    rank_of[node.rank] = rank;
    kept.add({rank, node.host, node.cores, node.gpus});
  }
  for (const auto& [name, ranks] : wanted.properties()) {
    if (name.starts_with('+')) continue;  // the membership of queues is the configuration's
    Idset moved;
    ranks.for_each([&](std::uint32_t rank) { moved.insert(rank_of.at(rank)); });
    kept.set_property(name, moved);
  }
  kept.expiration = wanted.expiration;
  kept.scheduling = wanted.scheduling;
  return kept;
}

void write_inventory(Change& change, const ResourceSet& inventory) {
  store::Transaction& transaction = change.transaction();
  if (transaction.get(Family::instance, records::key::kConfig)) {
    const auto document = parse_json(records::read_config_document(transaction), "configuration");
    try {
      records::write_config(transaction, compile_config(document, inventory));
    } catch (const Error& failure) {
      throw Error{Kind::invalid,
                  fmt::format("the configuration does not fit these nodes: {}", failure.what()),
                  "load another one first: fq config load"};
    }
  } else {
    transaction.put(Family::instance, records::key::kInventory, inventory.encode());
  }
}

// Chunks of the pool are by the place of nodes in the inventory: all are made anew.
void write_pool(Change& change, const ResourceSet& held) {
  store::Transaction& transaction = change.transaction();
  std::vector<std::string> keys;
  for (const auto at = transaction.scan_prefix(Family::instance, records::key::kPoolPrefix); at->valid();
       at->next()) {
    keys.emplace_back(at->key());
  }
  for (const std::string& key : keys) transaction.erase(Family::instance, key);
  const auto pool = load_pool(transaction);
  pool->allocate(held);
  store_pool(transaction, *pool);
}

void update_drains(Change& change, const ResourceSet& inventory, const Idset& leaving) {
  const records::Drains drains = records::read_drains(change.transaction());
  for (const auto& [rank, drain] : drains) {
    const bool back = drain.reason == kLeaving && !leaving.contains(rank);
    if (back || !inventory.ranks().contains(rank)) records::erase_drain(change.transaction(), rank);
  }
  leaving.for_each([&](std::uint32_t rank) {
    if (drains.contains(rank)) return;
    records::write_drain(change.transaction(), rank,
                         {std::string{kLeaving}, change.now(), change.caller().uid});
  });
}

}  // namespace

ReloadReply reload_inventory(const Session& session, const ResourceSet& wanted) {
  if (wanted.empty()) throw error(Kind::invalid, "R: it has no nodes");
  ReloadReply reply;
  transact(session, [&](Change& change) {
    require_owner(change, "only the owner may reload the inventory");
    change.write_back();  // the pool as it is, before its chunks change their meaning
    const ResourceSet held = change.pool().allocated();
    const ResourceSet next = keep_ranks(wanted, change.pool().inventory());
    reply.leaving = held.ranks().subtract(next.ranks());
    write_inventory(change, next.unite(held));
    write_pool(change, held);
    reply.inventory = ResourceSet::parse(records::read_inventory(change.transaction()));
    update_drains(change, reply.inventory, reply.leaving);
    change.forget_configuration();
    document::Event event;
    event.timestamp = change.now();
    event.name = "resource-define";
    event.context = {{"R", parse_json(reply.inventory.encode(), "R")}, {"userid", change.caller().uid}};
    records::log_instance_event(change.transaction(), event);
  });
  return reply;
}

}  // namespace fq::manager
