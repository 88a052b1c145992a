// Merging the level-0 files of a family into larger ones, which at a million jobs takes most of a second,
// while others use the store: planned under the store lock, done without it, installed under it again. Both
// tenures cost an opening of the database and little more.
//
// It is RocksDB's remote compaction with one process as both sides: the plan is the input that RocksDB would
// send away, and is compared with what it would send at the installation, so that what was merged is what is
// replaced. Newer files may have come meanwhile; they stay as they are.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fq::store {

struct MergePlan {
  std::size_t family;              ///< its place among the families
  std::vector<std::string> files;  ///< names, as the database knows them
  std::string input;               ///< of RocksDB's compaction
};

/// Plans to merge the files of the family that has most of them in level 0, of those with `at_least` or with
/// many deletions in them; none where there is no such family.
/// REQUIRES the store lock. Throws Error.
[[nodiscard]] std::optional<MergePlan> plan_merge(const std::string& database, int at_least);

/// Writes the merged files into the directory `scratch`, which is on the database's file system and empty.
/// Returns what install_merge takes. Throws Error, also when another process merged some of the files.
[[nodiscard]] std::string do_merge(const std::string& database, const MergePlan& plan,
                                   const std::string& scratch);

/// Puts the merged files in the place of the planned ones, and plans the next merge as plan_merge does.
/// REQUIRES the store lock. Throws Error, and changes nothing, when the planned files are not the same any
/// more.
[[nodiscard]] std::optional<MergePlan> install_merge(const std::string& database, const MergePlan& plan,
                                                     const std::string& result, int at_least);

/// Does all of a merge that was planned in the same tenure of the lock. REQUIRES the store lock. Throws
/// Error.
void merge_at_once(const std::string& database, const MergePlan& plan);

}  // namespace fq::store
