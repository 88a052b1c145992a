// Merging level-0 files into larger ones, which at a million jobs can take seconds, while
// others use the store: planned under the store lock, done without it, installed under it again. Both
// tenures cost an opening of the database and little more.
//
// It is RocksDB's remote compaction with one process as both sides: the plan is the input that RocksDB would
// send away, and is compared with what it would send at the installation, so that what was merged is what is
// replaced. Newer files may have come meanwhile; they stay as they are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fq::store {

/// Files of a family that are to be merged.
struct MergeChoice {
  std::vector<std::string> files;  ///< names, as the database knows them
  int level = 0;                   ///< that they go to; what they overlap there is merged with them
  std::size_t level0_files = 0;    ///< of them
  std::uint64_t small_bytes = 0;   ///< in levels 0 and 1
};

/// Of one family.
struct FamilyMerge {
  std::size_t family;  ///< its place among the families
  MergeChoice choice;
  std::string input;  ///< of RocksDB's compaction
};

using MergePlan = std::vector<FamilyMerge>;
/// What do_merge made of each family of a plan, for install_merge.
using MergeResult = std::vector<std::string>;

/// Plans to merge the files of each family that has `at_least` of them in level 0, or many deletions in them;
/// none where there is no such family.
/// REQUIRES the store lock. Throws Error.
[[nodiscard]] std::optional<MergePlan> plan_merge(const std::string& database, int at_least);

/// Writes the merged files into directories in `scratch`, which is on the database's file system and empty.
/// Throws Error, also when another process merged some of the files.
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

}  // namespace fq::store
