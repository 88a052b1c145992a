#include "store/rocks/merge_choice.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "store/rocks/rocksdb_options.h"

namespace fq::store::rocks {
namespace {

constexpr int kSmallLevel = 1;
constexpr int kLargeLevel = 2;

// Always cheap enough to be written anew.
constexpr std::uint64_t kLittle_bytes = 256U << 10U;

using Files = std::vector<rocksdb::SstFileMetaData>;

// What is deleted in a level. To look opens its files.
std::uint64_t deletions_in(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family, int level) {
  std::map<std::string, std::string> properties;
  const std::string name =
      fmt::format("{}{}", rocksdb::DB::Properties::kAggregatedTablePropertiesAtLevel, level);
  if (!database.GetMapProperty(family, name, &properties)) return 0;
  return parse_u64(properties["num_deletions"]).value_or(0);
}

// Some files together.
struct Sum {
  std::vector<std::string> names;
  std::uint64_t bytes = 0;
  std::string smallest;  ///< key
  std::string largest;

  void add(const rocksdb::SstFileMetaData& file) {
    if (names.empty() || file.smallestkey < smallest) smallest = file.smallestkey;
    if (names.empty() || file.largestkey > largest) largest = file.largestkey;
    names.push_back(file.name);
    bytes += file.size;
  }
  void add(const Files& files) {
    for (const auto& file : files) add(file);
  }
  [[nodiscard]] bool overlaps(const rocksdb::SstFileMetaData& file) const {
    return file.smallestkey <= largest && file.largestkey >= smallest;
  }
};

// Files of the large level that a merge into it replaces.
struct ReplacedFiles {
  std::uint64_t bytes = 0;
  std::optional<std::string> last;  ///< the name of one that what comes is appended to, and does not overlap
};

// New keys mostly follow all others, so that the last file can be filled up.
ReplacedFiles replaced_files(const Files& large, const Sum& merged) {
  ReplacedFiles replaced;
  for (const auto& file : large) replaced.bytes += merged.overlaps(file) ? file.size : 0;
  if (large.empty() || merged.smallest <= large.back().largestkey) return replaced;
  if (large.back().size < kMergedFileBytes) replaced = {large.back().size, large.back().name};
  return replaced;
}

// Whether what is to be merged, of which `arriving` bytes are new, goes to the large level, where files of
// `replaced` bytes are written again with it. Put off k times, that costs k (k + 1) / 2 times `arriving` in
// the small level, which is written each time; all in all least is written when that reaches `replaced`.
bool is_worth(std::uint64_t merged, std::uint64_t arriving, std::uint64_t replaced) {
  if (replaced <= kLittle_bytes) return true;
  const double times = static_cast<double>(merged) / static_cast<double>(arriving);
  return times * (times + 1) / 2 * static_cast<double>(arriving) >= static_cast<double>(replaced);
}

// What is in the levels above the large one, for the small one.
Sum small_files(const rocksdb::ColumnFamilyMetaData& data) {
  Sum sum;
  sum.add(data.levels.at(0).files);
  sum.add(data.levels.at(kSmallLevel).files);
  return sum;
}
MergeChoice into_small(const rocksdb::ColumnFamilyMetaData& data, const Sum& merged) {
  return {merged.names, kSmallLevel, data.levels.at(0).files.size(), merged.bytes, merged.bytes};
}

}  // namespace

std::optional<MergeChoice> choose_merge(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family,
                                        int at_least, std::optional<std::uint64_t> deletions) {
  rocksdb::ColumnFamilyMetaData data;
  database.GetColumnFamilyMetaData(family, &data);
  Sum arriving;
  arriving.add(data.levels.at(0).files);
  if (arriving.names.empty()) return std::nullopt;
  const bool few = static_cast<int>(arriving.names.size()) < at_least;
  if (few && (!deletions || deletions_in(database, family, 0) < *deletions)) return std::nullopt;
  const Sum merged = small_files(data);
  MergeChoice choice = into_small(data, merged);
  const ReplacedFiles replaced = replaced_files(data.levels.at(kLargeLevel).files, merged);
  // Deletions are gone only where there is nothing below.
  const auto deletes_many = [&] {
    return deletions &&
           deletions_in(database, family, 0) + deletions_in(database, family, kSmallLevel) >= *deletions;
  };
  if (is_worth(merged.bytes, arriving.bytes, replaced.bytes) || deletes_many()) {
    choice.level = kLargeLevel;
    choice.bytes += replaced.bytes;
    if (replaced.last) choice.files.push_back(*replaced.last);
  }
  return choice;
}

MergeChoice choose_small_merge(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData data;
  database.GetColumnFamilyMetaData(family, &data);
  return into_small(data, small_files(data));
}

rocksdb::Status merge_files(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family,
                            const MergeChoice& choice) {
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // that of the family
  options.output_file_size_limit = kMergedFileBytes;
  return database.CompactFiles(options, family, choice.files, choice.level);
}

}  // namespace fq::store::rocks
