// Which files of a family are merged, and into which level. Private to lib/store.
//
// Level 0 takes what commits flush, level 2 has most of the data. Between them level 1 takes what would be
// too little to write much of level 2 anew for: keys of indexes come all over those that are there, so that
// each merge into level 2 would cost O(jobs).

#pragma once

#include <cstdint>
#include <optional>

#include <rocksdb/db.h>

#include "store/rocks/merge_plan.h"

namespace fq::store::rocks {

/// All level-0 files of a family, with those files of the levels below that belong to them, if there are
/// `at_least` of them, or, where that is asked for, so many deletions in them; else none.
[[nodiscard]] std::optional<MergeChoice> choose_merge(rocksdb::DB& database,
                                                      rocksdb::ColumnFamilyHandle* family, int at_least,
                                                      std::optional<std::uint64_t> deletions);

/// All files of a family in levels 0 and 1, into level 1.
[[nodiscard]] MergeChoice choose_small_merge(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family);

/// Merges these files.
[[nodiscard]] rocksdb::Status merge_files(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family,
                                          const MergeChoice& choice);

}  // namespace fq::store::rocks
