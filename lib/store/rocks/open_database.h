// Opening the database for writing, or to merge its files.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

namespace fq::store::rocks {

/// Opens a database for writing. One that is damaged is left as it is (store/rocks/damage.h). Throws Error,
/// Kind::exhausted when no thread can be started, Kind::unavailable for a damaged one.
[[nodiscard]] std::unique_ptr<rocksdb::DB> open_database(const rocksdb::DBOptions& options,
                                                         const std::string& directory,
                                                         std::vector<rocksdb::ColumnFamilyHandle*>& families);

}  // namespace fq::store::rocks
