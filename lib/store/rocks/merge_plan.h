// What is to be merged: of store/rocks/merge.h, without the engine.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fq::store::rocks {

/// Files of a family that are to be merged.
struct MergeChoice {
  std::vector<std::string> files;  ///< names, as the database knows them
  int level = 1;                   ///< that they go to; what they overlap there is merged with them
  std::size_t level0_files = 0;    ///< of them
  std::uint64_t small_bytes = 0;   ///< in levels 0 and 1
  std::uint64_t bytes = 0;         ///< of all that is merged
};

/// Of one family.
struct FamilyMerge {
  std::size_t family;  ///< its place among the families
  MergeChoice choice;
  std::string input;  ///< of RocksDB's compaction
};

using MergePlan = std::vector<FamilyMerge>;
/// What do_merge made of each family of a plan, for install_merge; nothing where it failed.
using MergeResult = std::vector<std::optional<std::string>>;

}  // namespace fq::store::rocks
