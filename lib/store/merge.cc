#include "store/merge.h"

#include <memory>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "base/error.h"
#include "base/text.h"
#include "store/file_system.h"
#include "store/rocksdb_options.h"

namespace fq::store {
namespace {

using rocksdb::CompactionServiceJobInfo;
using rocksdb::CompactionServiceJobStatus;

// Bulk work leaves them in few files, and every scan passes each until it is merged with what it deletes.
constexpr std::uint64_t kManyDeletions = 1000;

// At a time: a commit's sync waits for what the disk has been given by then.
constexpr std::size_t kWrittenBytes = 64U << 10U;

// Stands between RocksDB and a compaction of its own.
class Exchange final : public rocksdb::CompactionService {
 public:
  /// From here on takes the input of a compaction, and lets it fail.
  void ask() {
    result_.reset();
    input_.clear();
  }
  /// From here on answers a compaction that has this input with `result`, and lets any other fail.
  void answer(std::string input, std::string result) {
    input_ = std::move(input);
    result_ = std::move(result);
  }
  [[nodiscard]] std::string take_input() { return std::exchange(input_, {}); }

  const char* Name() const override { return "fq.merge"; }
  CompactionServiceJobStatus StartV2(const CompactionServiceJobInfo&, const std::string& input) override {
    if (result_) {
      return input == input_ ? CompactionServiceJobStatus::kSuccess : CompactionServiceJobStatus::kFailure;
    }
    input_ = input;
    return CompactionServiceJobStatus::kFailure;
  }
  CompactionServiceJobStatus WaitForCompleteV2(const CompactionServiceJobInfo&,
                                               std::string* result) override {
    *result = result_.value_or("");
    return CompactionServiceJobStatus::kSuccess;
  }

 private:
  std::string input_;
  std::optional<std::string> result_;
};

// The database, opened to compact by `exchange`.
class Merging {
 public:
  Merging(const std::string& directory, std::shared_ptr<Exchange> exchange) {
    rocksdb::DBOptions options = database_options();
    options.compaction_service = std::move(exchange);
    options.writable_file_max_buffer_size = kWrittenBytes;
    db_ = open_database(options, directory, families_);
  }
  ~Merging() {
    for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
    db_->Close().PermitUncheckedError();
  }
  Merging(const Merging&) = delete;
  Merging& operator=(const Merging&) = delete;

  [[nodiscard]] std::size_t family_count() const { return families_.size(); }
  [[nodiscard]] std::vector<std::string> files_to_merge(std::size_t family, int at_least) const {
    return store::files_to_merge(*db_, families_[family], at_least, kManyDeletions);
  }
  rocksdb::Status compact(std::size_t family, const std::vector<std::string>& files) {
    return compact_files(*db_, families_[family], files);
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

std::optional<MergePlan> plan(Merging& merging, Exchange& exchange, int at_least) {
  MergePlan plan{0, {}, {}};
  for (std::size_t family = 0; family < merging.family_count(); ++family) {
    std::vector<std::string> files = merging.files_to_merge(family, at_least);
    if (files.size() > plan.files.size()) plan = {family, std::move(files), {}};
  }
  if (plan.files.empty()) return std::nullopt;
  exchange.ask();
  merging.compact(plan.family, plan.files).PermitUncheckedError();  // it fails, having told its input
  plan.input = exchange.take_input();
  if (plan.input.empty()) throw error(Kind::io, "cannot plan a merge of the store's files");
  return plan;
}

}  // namespace

std::optional<MergePlan> plan_merge(const std::string& database, int at_least) {
  const auto exchange = std::make_shared<Exchange>();
  Merging merging(database, exchange);
  return plan(merging, *exchange, at_least);
}

std::string do_merge(const std::string& database, const MergePlan& plan, const std::string& scratch) {
  const rocksdb::ColumnFamilyOptions family = family_descriptors().at(plan.family).options;
  rocksdb::CompactionServiceOptionsOverride options;
  options.env = merge_env();
  options.merge_operator = family.merge_operator;
  options.table_factory = family.table_factory;
  std::string result;
  const rocksdb::Status status = rocksdb::DB::OpenAndCompact(database, scratch, plan.input, &result, options);
  if (!status.ok()) throw to_error(status, "cannot merge files of the store");
  return result;
}

std::optional<MergePlan> install_merge(const std::string& database, const MergePlan& done,
                                       const std::string& result, int at_least) {
  const auto exchange = std::make_shared<Exchange>();
  exchange->answer(done.input, result);
  Merging merging(database, exchange);
  const rocksdb::Status status = merging.compact(done.family, done.files);
  if (!status.ok()) throw to_error(status, "cannot merge files of the store");
  return plan(merging, *exchange, at_least);
}

void merge_at_once(const std::string& database, const MergePlan& plan) {
  Merging merging(database, nullptr);
  const rocksdb::Status status = merging.compact(plan.family, plan.files);
  if (!status.ok()) throw to_error(status, "cannot merge files of the store");
}

}  // namespace fq::store
