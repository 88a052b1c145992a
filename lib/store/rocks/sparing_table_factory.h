// Tables of which an opener reads little.
//
// When RocksDB opens a table for a look-up it reads all parts of its index and filter at once, which for the
// large tables of a million jobs is most of what a short command does. Of tables that are opened with the
// database it does not. With this factory it does so of the small tables of level 0 only: of the others'
// partitioned indexes and filters it reads the parts that it needs, when it needs them. (It still asks the
// system to have all parts ready, which costs a cold disk as much as before.)

#pragma once

#include <memory>

#include <rocksdb/table.h>

namespace fq::store::rocks {

/// `tables`, which must not be null, as said above.
[[nodiscard]] std::shared_ptr<rocksdb::TableFactory> sparing(std::shared_ptr<rocksdb::TableFactory> tables);

}  // namespace fq::store::rocks
