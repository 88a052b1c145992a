#include "store/rocks/rocksdb_options.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "store/rocks/damage.h"
#include "store/rocks/file_system.h"
#include "store/rocks/rocksdb_start.h"

namespace fq::store::rocks {
namespace {

// An event log's value is the concatenation of what was appended.
class AppendOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* result, rocksdb::Logger*) const override {
    result->clear();
    if (existing != nullptr) result->assign(existing->data(), existing->size());
    result->append(value.data(), value.size());
    return true;
  }
  const char* Name() const override { return "fq.append"; }
};

class RocksCursor final : public Cursor {
 public:
  RocksCursor(const MakeIterator& make, std::string_view from, std::string_view to)
      : to_(to), bound_(to_.data(), to_.size()) {
    // Told of the end, RocksDB does not look for a next key among deleted ones behind it.
    if (!to_.empty()) options_.iterate_upper_bound = &bound_;
    iterator_ = make(options_);
    iterator_->Seek(to_slice(from));
    check();
  }
  [[nodiscard]] bool valid() const override { return valid_; }
  [[nodiscard]] std::string_view key() const override { return to_view(iterator_->key()); }
  [[nodiscard]] std::string_view value() const override { return to_view(iterator_->value()); }
  void next() override {
    iterator_->Next();
    check();
  }
  void seek(std::string_view key) override {
    iterator_->Seek(to_slice(key));
    check();
  }

 private:
  void check() {
    valid_ = iterator_->Valid() && (to_.empty() || key() < to_);
    if (!iterator_->Valid() && !iterator_->status().ok())
      throw_error(iterator_->status(), "cannot read the store");
  }
  std::string to_;
  rocksdb::Slice bound_;  ///< of to_
  rocksdb::ReadOptions options_;
  std::unique_ptr<rocksdb::Iterator> iterator_;  ///< reads to_, bound_ and options_
  bool valid_ = false;
};

rocksdb::ColumnFamilyOptions family_options(Family family, const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions options;
  options.merge_operator = std::make_shared<AppendOperator>();
  options.disable_auto_compactions = true;  // no command that a user waits for compacts
  // Writes never stall on level 0: the shells keep it short, and a short-lived writer adds one file at most.
  options.level0_slowdown_writes_trigger = 10'000;
  options.level0_stop_writes_trigger = 10'000;
  options.soft_pending_compaction_bytes_limit = 0;
  options.hard_pending_compaction_bytes_limit = 0;
  options.write_buffer_size = 8U << 20U;
  options.max_write_buffer_number = 3;
  options.target_file_size_base = kMergedFileBytes;
  options.max_bytes_for_level_base = 128U << 20U;

  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.block_cache = cache;
  if (family != Family::instance) {
    // A command looks at a few keys: of a file's index and filter it reads the parts that it needs (at a
    // million jobs the whole of them are megabytes; in `instance` they are next to nothing).
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = family != Family::index;
  }
  // Nothing is looked up in `index` by key, it is scanned.
  if (family != Family::index) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  if (family == Family::kvs) {
    // Jobspecs repeat each other's environment: large blocks let zstd see it.
    table.block_size = 32U << 10U;
    options.compression_per_level = {rocksdb::kLZ4Compression, rocksdb::kLZ4Compression, rocksdb::kZSTD};
    options.compression_opts.level = 1;
  } else {
    table.block_size = 8U << 10U;
    options.compression = rocksdb::kLZ4Compression;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

namespace {

// Half of what the process may open at most. The engine reads the heads of a quarter of these tables when it
// opens, whether they are asked or not.
int most_open_files() {
  constexpr rlim_t kMost = 64, kFewest = 20;  // the engine takes no less
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<int>(kMost);
  return static_cast<int>(std::clamp(limit.rlim_cur / 2, kFewest, kMost));
}

}  // namespace

rocksdb::DBOptions database_options() {
  start_rocksdb();
  rocksdb::DBOptions options;
  options.env = database_env();
  options.info_log = std::make_shared<NoLog>();
  // Measured: the defaults take 9 ms and 64 threads to open, these 5 ms (1 ms read-only).
  options.max_file_opening_threads = 1;
  options.max_open_files = most_open_files();
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  options.skip_checking_sst_file_sizes_on_db_open = true;
  options.table_cache_numshardbits = 2;
  options.max_background_jobs = 2;
  // All families change together, so they are flushed together and a recovered state is always one commit's.
  options.atomic_flush = true;
  options.avoid_flush_during_recovery = true;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  // A merge's output goes to the disk as it is made: a commit's sync would wait for megabytes at once.
  options.bytes_per_sync = 128U << 10U;
  options.db_write_buffer_size = 6U << 20U;
  options.write_dbid_to_manifest = false;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors() {
  start_rocksdb();
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(8U << 20U, 0);
  // The default family is required by RocksDB; it serves as `kvs`.
  return {{rocksdb::kDefaultColumnFamilyName, family_options(Family::kvs, cache)},
          {"jobs", family_options(Family::jobs, cache)},
          {"index", family_options(Family::index, cache)},
          {"instance", family_options(Family::instance, cache)}};
}

namespace {

// The file of the database that a status tells of, `000012.sst`; empty where it tells of none.
std::string file_in(const std::string& text, const std::string& directory) {
  const std::size_t at = text.find(directory + "/");
  if (directory.empty() || at == std::string::npos) return {};
  const std::size_t begin = at + directory.size() + 1;
  const std::size_t end =
      text.find_first_not_of("0123456789.-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", begin);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

}  // namespace

Error to_error(const rocksdb::Status& status, std::string_view what) {
  return error(status.IsNoSpace() ? Kind::no_space : Kind::io, "{}: {}", what, status.ToString());
}

void throw_error(const rocksdb::Status& status, std::string_view what) {
  const std::string directory = opened_directory();
  std::string file = file_in(status.ToString(), directory);
  // Where there is no such table RocksDB looks for one of the name that its ancestor gave.
  if (file.ends_with(".ldb")) file.replace(file.size() - 4, 4, ".sst");
  const bool missing = !file.empty() && !exists(directory + "/" + file);
  if (!status.IsCorruption() && !(missing && status.IsPathNotFound())) throw to_error(status, what);
  throw DamageError(directory, {{file.empty() ? "db" : "db/" + file,
                                 missing ? "it is missing" : "it is not what was written"}});
}

std::unique_ptr<Cursor> make_cursor(const MakeIterator& make, std::string_view from, std::string_view to) {
  return std::make_unique<RocksCursor>(make, from, to);
}

std::vector<std::string> last_keys(rocksdb::Iterator& iterator, std::string_view prefix, std::size_t most) {
  std::vector<std::string> keys;
  const std::string end = prefix_end(prefix);
  if (end.empty()) {
    iterator.SeekToLast();
  } else {
    iterator.SeekForPrev(to_slice(end));
    if (iterator.Valid() && to_view(iterator.key()) == end) iterator.Prev();
  }
  for (; iterator.Valid() && keys.size() < most; iterator.Prev()) {
    const std::string_view key = to_view(iterator.key());
    if (!key.starts_with(prefix)) break;
    keys.emplace_back(key);
  }
  if (!iterator.status().ok()) throw_error(iterator.status(), "cannot read the store");
  return keys;
}

}  // namespace fq::store::rocks
