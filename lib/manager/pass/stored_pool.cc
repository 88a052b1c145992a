#include "manager/pass/stored_pool.h"

#include "document/resource/resource_set.h"
#include "manager/core/inventory.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

std::string chunk_key(std::size_t chunk) {
  return records::key::pool(static_cast<std::uint32_t>(chunk));
}

}  // namespace

std::unique_ptr<sched::Pool> load_pool(const store::Reader& reader) {
  auto pool = std::make_unique<sched::Pool>(std::make_shared<const document::ResourceSet>(
      document::ResourceSet::parse(records::read_inventory(reader))));
  for (std::size_t chunk = 0; chunk < pool->chunk_count(); ++chunk) {
    if (const auto bytes = reader.get(Family::instance, chunk_key(chunk))) pool->decode_chunk(chunk, *bytes);
  }
  pool->set_drained(records::drained_ranks(reader).unite(leaving_ranks(reader, pool->inventory())));
  return pool;
}

void store_pool(store::Transaction& transaction, sched::Pool& pool) {
  for (const std::size_t chunk : pool.dirty_chunks()) {
    const std::string bytes = pool.encode_chunk(chunk);
    if (bytes.empty()) {
      transaction.erase(Family::instance, chunk_key(chunk));
    } else {
      transaction.put(Family::instance, chunk_key(chunk), bytes);
    }
  }
  pool.clear_dirty_chunks();
}

}  // namespace fq::manager
