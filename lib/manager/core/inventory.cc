#include "manager/core/inventory.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "manager/core/log_act.h"
#include "manager/pass/stored_pool.h"
#include "manager/site/configure.h"
#include "notation/hostlist.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/queues.h"

namespace fq::manager {

using document::ResourceSet;
using notation::Idset;
using store::Family;
namespace key = records::key;

namespace {

std::optional<ResourceSet> read_set(const store::Reader& reader, std::string_view key) {
  const auto text = reader.get(Family::instance, key);
  return text ? std::optional{ResourceSet::parse(*text)} : std::nullopt;
}

ResourceSet read_inventory(const store::Reader& reader) {
  return ResourceSet::parse(records::read_inventory(reader));
}

// The nodes of `set` with the properties that they have in `all`, and no others.
ResourceSet with_properties_of(const ResourceSet& all, const ResourceSet& set) {
  ResourceSet plain;
  for (const ResourceSet::Node& node : set.nodes()) plain.add(node);
  for (const auto& [name, ranks] : all.properties()) {
    const Idset of_set = ranks.intersect(set.ranks());
    if (!of_set.empty()) plain.set_property(name, of_set);
  }
  plain.starttime = set.starttime;
  plain.expiration = set.expiration;
  plain.scheduling = set.scheduling;
  return plain;
}

void put_set(store::Transaction& transaction, std::string_view key, const ResourceSet& set) {
  const std::string text = set.encode();
  if (transaction.get(Family::instance, key) != text) transaction.put(Family::instance, key, text);
}

void put_or_erase(store::Transaction& transaction, std::string_view key, const ResourceSet& set) {
  if (!set.empty()) return put_set(transaction, key, set);
  if (transaction.get(Family::instance, key)) transaction.erase(Family::instance, key);
}

// Writes what there is of nodes when `wanted` are to be there and jobs hold `held`. Returns the ranks that
// leave.
Idset write_nodes(store::Transaction& transaction, const ResourceSet& wanted, const ResourceSet& held,
                  const Compile& compile) {
  ResourceSet all = wanted.unite(held);
  Idset excluded;
  if (compile) {
    document::Config config = compile(wanted);
    excluded = config.excluded;
    // What only jobs hold must not make a mistake good; it belongs to queues like the rest while it is there.
    if (all.ranks() != wanted.ranks()) config = compile(all);
    records::write_config(transaction, config);
    all = std::move(config.inventory);
  }
  if (const auto timer = inventory_timer(transaction)) transaction.erase(Family::index, *timer);
  const ResourceSet in_use = with_properties_of(all, wanted.subset(wanted.ranks().subtract(excluded)));
  const ResourceSet inventory = with_properties_of(all, in_use.unite(held));
  put_set(transaction, key::kInventory, inventory);
  if (const auto timer = inventory_timer(transaction)) transaction.put(Family::index, *timer, "");
  put_or_erase(transaction, key::kExcluded, with_properties_of(all, wanted.subset(excluded)));
  put_or_erase(transaction, key::kWanted, in_use.contains(held) ? ResourceSet{} : in_use);
  return inventory.ranks().subtract(in_use.ranks());
}

// Chunks of the pool are by the place of nodes in the inventory: all are made anew.
void write_pool(store::Transaction& transaction, const ResourceSet& held) {
  std::vector<std::string> keys;
  for (const auto at = transaction.scan_prefix(Family::instance, key::kPoolPrefix); at->valid(); at->next()) {
    keys.emplace_back(at->key());
  }
  for (const std::string& key : keys) transaction.erase(Family::instance, key);
  const auto pool = load_pool(transaction);
  pool->allocate(held);
  store_pool(transaction, *pool);
}

// What was drained and is gone, or is excluded now, is forgotten.
void forget_drains(store::Transaction& transaction, const Idset& there) {
  records::drained_ranks(transaction).subtract(there).for_each([&](std::uint32_t rank) {
    records::erase_drain(transaction, rank);
  });
}

void log_definition(Change& change) {
  log_act(change, "resource-define", {{"R", parse_json(records::read_inventory(change.transaction()), "R")}});
}

}  // namespace

Validity read_validity(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, key::kInventory);
  // Nearly all are for ever, which shows without reading their nodes.
  if (!text || text->find(R"("starttime":0.0,"expiration":0.0)") != std::string::npos) return {};
  const ResourceSet inventory = ResourceSet::parse(*text);
  return {inventory.starttime, inventory.expiration};
}

std::optional<std::string> inventory_timer(const store::Reader& reader) {
  const double starttime = read_validity(reader).starttime;
  if (starttime == 0) return std::nullopt;
  std::string timer = key::timer(starttime, notation::JobId{});
  if (timer < key::timer_end(records::read_sequence(reader).last_time)) return std::nullopt;
  return timer;
}

ResourceSet read_excluded(const store::Reader& reader) {
  return read_set(reader, key::kExcluded).value_or(ResourceSet{});
}

ResourceSet read_nodes(const store::Reader& reader) {
  auto nodes = read_set(reader, key::kWanted);
  if (!nodes) nodes = read_inventory(reader);
  const ResourceSet excluded = read_excluded(reader);
  return excluded.empty() ? *nodes : nodes->unite(excluded);
}

Idset leaving_ranks(const store::Reader& reader, const ResourceSet& inventory) {
  const auto wanted = read_set(reader, key::kWanted);
  return wanted ? inventory.ranks().subtract(wanted->ranks()) : Idset{};
}

ResourceSet with_known_ranks(const ResourceSet& wanted, const store::Reader& reader) {
  const ResourceSet known = read_inventory(reader).unite(read_excluded(reader));
  std::uint32_t fresh = known.ranks().last() + 1;
  std::map<std::uint32_t, std::uint32_t> rank_of;  // by rank in `wanted`
  ResourceSet ranked;
  for (const ResourceSet::Node& node : wanted.nodes()) {
    const Idset before = known.ranks_on(node.host);
    const std::uint32_t rank = before.empty() ? fresh++ : before.first();
    rank_of[node.rank] = rank;
    ranked.add({rank, node.host, node.cores, node.gpus});
  }
  for (const auto& [name, ranks] : wanted.properties()) {
    if (name.starts_with('+')) continue;  // the membership of queues is the configuration's
    Idset moved;
    ranks.for_each([&](std::uint32_t rank) { moved.insert(rank_of.at(rank)); });
    ranked.set_property(name, moved);
  }
  ranked.starttime = wanted.starttime;
  ranked.expiration = wanted.expiration;
  ranked.scheduling = wanted.scheduling;
  return ranked;
}

void write_first_nodes(store::Transaction& transaction, const ResourceSet& nodes,
                       const std::optional<document::Config>& config) {
  const Compile compile = config ? Compile{[&](const ResourceSet&) { return *config; }} : Compile{};
  static_cast<void>(write_nodes(transaction, nodes, {}, compile));
}

Idset replace_nodes(Change& change, const ResourceSet& wanted, const Compile& compile) {
  store::Transaction& transaction = change.transaction();
  change.write_back();  // the pool as it is, before its chunks change their meaning
  const ResourceSet held = change.pool().allocated();
  const std::string before = records::read_inventory(transaction);
  const Idset leaving = write_nodes(transaction, wanted, held, compile);
  change.forget_configuration();
  if (records::read_inventory(transaction) == before) return leaving;
  write_pool(transaction, held);
  forget_drains(
      transaction,
      read_inventory(transaction).ranks().unite(wanted.ranks()).subtract(read_excluded(transaction).ranks()));
  log_definition(change);
  return leaving;
}

void remove_released_nodes(Change& change) {
  store::Transaction& transaction = change.transaction();
  const auto wanted = read_set(transaction, key::kWanted);
  if (!wanted) return;
  const ResourceSet left = change.pool().inventory().subtract(*wanted);
  if (change.pool().allocated().contains(left)) return;
  const auto text = transaction.get(Family::instance, key::kConfig);
  const Compile compile = [&](const ResourceSet& nodes) {
    return compile_config(parse_json(*text, "configuration"), nodes);
  };
  static_cast<void>(replace_nodes(change, read_nodes(transaction), text ? compile : Compile{}));
}

}  // namespace fq::manager
