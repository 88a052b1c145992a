// Merging level-0 files into larger ones, which at a million jobs can take seconds, while others use the
// store: planned under the store lock, done without it, installed under it again. Both tenures cost an
// opening of the database, and for each family a little.
//
// It is RocksDB's remote compaction with one process as both sides: the plan is the input that RocksDB would
// send away, and is compared with what it would send at the installation, so that what was merged is what is
// replaced. Newer files may have come meanwhile; they stay as they are.

#pragma once

#include <optional>
#include <string>

#include "store/rocks/merge_plan.h"

namespace fq::store::rocks {

/// Plans to merge the files of each family that has `at_least` of them in level 0, or many deletions in them;
/// none where there is no such family. Those that take long are planned when there are no others, which would
/// wait for them. REQUIRES the store lock. Throws Error.
[[nodiscard]] std::optional<MergePlan> plan_merge(const std::string& database, int at_least);

/// Writes the merged files into directories in `scratch`, which is on the database's file system and empty.
/// A family that fails, as when another process merged some of the files, leaves the others alone. Throws
/// Error where all fail.
[[nodiscard]] MergeResult do_merge(const std::string& database, const MergePlan& plan,
                                   const std::string& scratch);

/// Puts the merged files in the place of the planned ones, and plans the next merge as plan_merge does.
/// REQUIRES the store lock. Throws Error, and changes no family of which the planned files are not the same
/// any more.
[[nodiscard]] std::optional<MergePlan> install_merge(const std::string& database, const MergePlan& done,
                                                     const MergeResult& result, int at_least);

/// Merges all level-0 files of the plan's families at once, into level 1: the little that bounds their
/// number. REQUIRES the store lock. Throws Error.
void merge_at_once(const std::string& database, const MergePlan& plan);

}  // namespace fq::store::rocks
