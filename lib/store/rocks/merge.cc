#include "store/rocks/merge.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "store/rocks/acknowledged.h"
#include "store/rocks/file_system.h"
#include "store/rocks/merge_choice.h"
#include "store/rocks/open_database.h"
#include "store/rocks/rocksdb_options.h"

namespace fq::store::rocks {
namespace {

using rocksdb::CompactionServiceJobInfo;
using rocksdb::CompactionServiceJobStatus;

// Bulk work leaves them in few files, and every scan passes each until it is merged with what it deletes.
constexpr std::uint64_t kManyDeletions = 1000;

constexpr int kTries = 5;

// A merge of more is done when there are no others, which would wait for it.
constexpr std::uint64_t kMuch_bytes = 8U << 20U;

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
  Merging(const std::string& directory, std::shared_ptr<Exchange> exchange) : directory_(directory) {
    rocksdb::DBOptions options = database_options();
    options.compaction_service = std::move(exchange);
    options.writable_file_max_buffer_size = kWrittenBytes;
    if (const auto known = read_acknowledged(directory)) transaction_ = known->transaction;
    db_ = open_database(options, directory, families_);
  }
  ~Merging() {
    for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
    db_->Close().PermitUncheckedError();
    if (transaction_) acknowledge(directory_, *transaction_);
  }
  Merging(const Merging&) = delete;
  Merging& operator=(const Merging&) = delete;

  [[nodiscard]] std::size_t family_count() const { return families_.size(); }
  [[nodiscard]] std::optional<MergeChoice> choose(std::size_t family, int at_least) const {
    return choose_merge(*db_, families_[family], at_least, kManyDeletions);
  }
  [[nodiscard]] MergeChoice choose_small(std::size_t family) const {
    return choose_small_merge(*db_, families_[family]);
  }
  rocksdb::Status merge(std::size_t family, const MergeChoice& choice) {
    return merge_files(*db_, families_[family], choice);
  }

 private:
  std::string directory_;
  std::optional<std::uint64_t> transaction_;  ///< the last, where that is known
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

MergePlan choose(const Merging& merging, int at_least) {
  MergePlan plan;
  for (std::size_t family = 0; family < merging.family_count(); ++family) {
    if (auto choice = merging.choose(family, at_least)) plan.push_back({family, std::move(*choice), {}});
  }
  const auto takes_long = [](const FamilyMerge& merge) { return merge.choice.bytes > kMuch_bytes; };
  if (!std::all_of(plan.begin(), plan.end(), takes_long)) std::erase_if(plan, takes_long);
  return plan;
}

std::optional<MergePlan> plan(Merging& merging, Exchange& exchange, int at_least) {
  MergePlan plan = choose(merging, at_least);
  if (plan.empty()) return std::nullopt;
  for (FamilyMerge& merge : plan) {
    exchange.ask();
    merging.merge(merge.family, merge.choice).PermitUncheckedError();  // it fails, having told its input
    merge.input = exchange.take_input();
    if (merge.input.empty()) throw error(Kind::io, "cannot plan a merge of the store's files");
  }
  return plan;
}

[[nodiscard]] Error merge_error(const rocksdb::Status& status) {
  // Whoever commits meanwhile takes files away: one that is missing is no damage.
  return to_error(status, "cannot merge files of the store");
}

// `files` is a directory, and empty.
rocksdb::Status try_merge(const std::string& database, const FamilyMerge& merge, const std::string& files,
                          std::string& result) {
  const rocksdb::ColumnFamilyOptions family = family_descriptors().at(merge.family).options;
  rocksdb::CompactionServiceOptionsOverride options;
  options.env = reader_env();
  options.merge_operator = family.merge_operator;
  options.table_factory = family.table_factory;
  return rocksdb::DB::OpenAndCompact(database, files, merge.input, &result, options);
}

// Whoever commits meanwhile may take away a file that tells what tables there are: then it is tried again.
rocksdb::Status do_merge(const std::string& database, const FamilyMerge& merge, const std::string& files,
                         std::string& result) {
  for (int tries = 1;; ++tries) {
    make_directory(files);
    rocksdb::Status status = try_merge(database, merge, files, result);
    if (status.ok() || status.IsNoSpace() || tries == kTries) return status;
    remove_tree(files);
  }
}

}  // namespace

std::optional<MergePlan> plan_merge(const std::string& database, int at_least) {
  const auto exchange = std::make_shared<Exchange>();
  Merging merging(database, exchange);
  return plan(merging, *exchange, at_least);
}

MergeResult do_merge(const std::string& database, const MergePlan& plan, const std::string& scratch) {
  MergeResult results;
  rocksdb::Status failure;
  bool done = false;
  for (const FamilyMerge& merge : plan) {
    std::string result;
    const rocksdb::Status status =
        do_merge(database, merge, fmt::format("{}/{}", scratch, merge.family), result);
    results.push_back(status.ok() ? std::optional(std::move(result)) : std::nullopt);
    done = done || status.ok();
    if (!status.ok()) failure = status;
  }
  if (!done) throw merge_error(failure);
  return results;
}

std::optional<MergePlan> install_merge(const std::string& database, const MergePlan& done,
                                       const MergeResult& result, int at_least) {
  const auto exchange = std::make_shared<Exchange>();
  Merging merging(database, exchange);
  rocksdb::Status failure;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (!result.at(i)) continue;
    exchange->answer(done[i].input, *result[i]);
    const rocksdb::Status status = merging.merge(done[i].family, done[i].choice);
    if (!status.ok()) failure = status;
  }
  if (!failure.ok()) throw merge_error(failure);
  return plan(merging, *exchange, at_least);
}

void merge_at_once(const std::string& database, const MergePlan& plan) {
  Merging merging(database, nullptr);
  for (const FamilyMerge& merge : plan) {
    const rocksdb::Status status = merging.merge(merge.family, merging.choose_small(merge.family));
    if (!status.ok()) throw merge_error(status);
  }
}

}  // namespace fq::store::rocks
