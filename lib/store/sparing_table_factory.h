// Tables of which an opener reads little.
//
// When RocksDB opens a table for a look-up it reads all parts of its index and filter at once, which for the
// large tables of a million jobs is most of what a short command does. Of tables that are opened with the
// database it does not. This factory lets it never do so: of partitioned indexes and filters it then reads
// the parts that it needs, when it needs them.

#pragma once

#include <memory>

#include <rocksdb/table.h>

namespace fq::store {

/// `tables`, which must not be null, as said above.
[[nodiscard]] std::shared_ptr<rocksdb::TableFactory> sparing(std::shared_ptr<rocksdb::TableFactory> tables);

}  // namespace fq::store
