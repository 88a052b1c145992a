#include "store/rocks/database.h"

#include <array>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/write_batch_with_index.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/rocks/batch_cursor.h"
#include "store/rocks/damage.h"
#include "store/rocks/file_system.h"
#include "store/rocks/merge_choice.h"
#include "store/rocks/open_database.h"
#include "store/rocks/read_only_database.h"
#include "store/rocks/rocksdb_options.h"

namespace fq::store::rocks {
namespace {

// An opener replays the logs: past these, the writer that leaves them flushes first.
constexpr std::uint64_t kMaxLogBytes = 256U << 10U;
constexpr int kMaxLogs = 100;
// In a long run of chunks: so many small files become one larger one. Of the documents, which are most of
// what is written, later; of the rest every opener that comes after reads the heads.
int many_level0_files(std::size_t family) {
  return family == static_cast<std::size_t>(Family::kvs) ? 16 : 4;
}

}  // namespace

struct Database::State {
  std::string directory;
  std::unique_ptr<rocksdb::DB> db;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> families{};
  std::uint64_t transaction_number = 0;
  std::uint64_t written_bytes = 0;
  std::thread merger;
  std::atomic<bool> merging{false};

  ~State() { close(); }

  void open(bool create) {
    rocksdb::DBOptions options = database_options();
    options.create_if_missing = create;
    options.create_missing_column_families = create;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    db = open_database(options, directory, handles);
    std::copy(handles.begin(), handles.end(), families.begin());
    transaction_number = read_number();
    check_transaction(directory, read_acknowledged(directory), transaction_number);
    if (!sync_has_failed(directory)) return;
    flush();
    forget_failed_sync(directory);
  }

  void join_merger() {
    if (merger.joinable()) merger.join();
  }

  void merge_level0() const {
    for (std::size_t i = 0; i < families.size(); ++i) {
      // Deletions that bulk work leaves are merged once it is over.
      const auto choice = choose_merge(*db, families[i], many_level0_files(i), std::nullopt);
      // Where it fails nothing is lost: the files stay as they are.
      if (choice) merge_files(*db, families[i], *choice).PermitUncheckedError();
    }
  }

  [[nodiscard]] int level0_files(std::size_t family) const {
    std::string text;
    if (!db->GetProperty(families[family], "rocksdb.num-files-at-level0", &text)) return 0;
    return static_cast<int>(parse_u64(text).value_or(0));
  }

  /// Writes what is in the logs into synced tables.
  void flush() const {
    rocksdb::FlushOptions options;
    options.allow_write_stall = true;
    const rocksdb::Status status =
        db->Flush(options, std::vector<rocksdb::ColumnFamilyHandle*>(families.begin(), families.end()));
    if (!status.ok()) throw_error(status, "cannot flush the store's logs");
  }

  /// What is committed is in logs that are synced.
  void acknowledge() const { rocks::acknowledge(directory, transaction_number); }

  void close() {
    if (!db) return;
    join_merger();
    for (rocksdb::ColumnFamilyHandle* family : families) db->DestroyColumnFamilyHandle(family);
    // A failed close loses nothing: what was committed was synced.
    db->Close().PermitUncheckedError();
    db.reset();
  }

  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return families.at(static_cast<std::size_t>(family));
  }

  /// Whether a reader finds that transaction, or cannot tell. To open for writing may need what a full disk
  /// has not got.
  [[nodiscard]] bool is_stored(std::uint64_t number) const {
    try {
      return store::transaction_number(ReadOnlyDatabase(directory)) == number;
    } catch (const Error&) {
      return true;
    }
  }

  [[nodiscard]] std::uint64_t read_number();
};

struct Transaction::State {
  Database::State* database;
  rocksdb::WriteBatchWithIndex batch{rocksdb::BytewiseComparator(), 0, /*overwrite_key=*/true};
};

Transaction::Transaction(std::unique_ptr<State> state) : state_(std::move(state)) {}
Transaction::~Transaction() = default;
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&&) noexcept = default;

std::uint64_t Database::State::read_number() {
  auto reads = std::make_unique<Transaction::State>();
  reads->database = this;
  return store::transaction_number(Transaction{std::move(reads)});
}

std::optional<std::string> Transaction::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status =
      state_->batch.GetFromBatchAndDB(state_->database->db.get(), rocksdb::ReadOptions{},
                                      state_->database->handle(family), to_slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw_error(status, "cannot read the store");
  return value;
}

std::vector<std::string> Transaction::last_keys(Family family, std::string_view prefix,
                                                std::size_t most) const {
  rocksdb::ColumnFamilyHandle* handle = state_->database->handle(family);
  auto* base = state_->database->db->NewIterator(rocksdb::ReadOptions{}, handle);
  const std::unique_ptr<rocksdb::Iterator> at(state_->batch.NewIteratorWithBase(handle, base));
  return rocks::last_keys(*at, prefix, most);
}

std::unique_ptr<Cursor> Transaction::scan(Family family, std::string_view from, std::string_view to) const {
  return std::make_unique<BatchCursor>(*state_->database->db, *state_->database->handle(family),
                                       state_->batch, from, to);
}

namespace {

void check(const rocksdb::Status& status) {
  if (!status.ok()) throw_error(status, "cannot build the transaction");
}

}  // namespace

void Transaction::put(Family family, std::string_view key, std::string_view value) {
  check(state_->batch.Put(state_->database->handle(family), to_slice(key), to_slice(value)));
}

void Transaction::erase(Family family, std::string_view key) {
  check(state_->batch.Delete(state_->database->handle(family), to_slice(key)));
}

void Transaction::append(Family family, std::string_view key, std::string_view bytes) {
  check(state_->batch.Merge(state_->database->handle(family), to_slice(key), to_slice(bytes)));
}

std::size_t Transaction::bytes() const {
  return state_->batch.GetWriteBatch()->GetDataSize();
}
bool Transaction::empty() const {
  return state_->batch.GetWriteBatch()->Count() == 0;
}

void Transaction::commit() {
  Database::State& database = *state_->database;
  const std::uint64_t number = database.transaction_number + 1;
  put(Family::instance, kTransactionKey, fmt::format("{}", number));
  rocksdb::WriteOptions options;
  options.sync = true;
  database.written_bytes += bytes();
  const ChangeUnderWay under_way;
  const rocksdb::Status status = database.db->Write(options, state_->batch.GetWriteBatch());
  state_->batch.Clear();
  if (!status.ok()) {
    const Error failure = to_error(status, "the change was not stored");
    try {
      database.close();
      database.open(/*create=*/false);
      // What is there may be in a log that was never synced: a flush puts it into a table that is.
      if (database.transaction_number == number) database.flush();
    } catch (const Error& reopen) {
      if (!database.is_stored(number)) throw failure;
      throw error(Kind::unknown_outcome, "outcome unknown: {}; then {}", failure.what(), reopen.what());
    }
    if (database.transaction_number != number) throw failure;
  }
  database.transaction_number = number;
  database.acknowledge();
}

void Transaction::commit_to_tables() {
  commit();
  state_->database->flush();
  state_->database->acknowledge();
}

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;

Database Database::open(const std::string& directory, bool create) {
  if (!create && !exists(directory + "/CURRENT")) {
    refuse_without_current(directory);
  }
  if (create) {
    // The engine would make them, and leave their modes to the umask.
    make_directory(directory);
    static_cast<void>(open_file(directory + "/LOCK", O_RDWR | O_CREAT));
  }
  auto state = std::make_unique<State>();
  state->directory = directory;
  state->open(create);
  if (create) make_journal(directory);
  return Database{std::move(state)};
}

void Database::begin_journal() {
  make_journal(state_->directory);
}

Transaction Database::begin() {
  auto state = std::make_unique<Transaction::State>();
  state->database = state_.get();
  return Transaction{std::move(state)};
}

std::uint64_t Database::transaction_number() const {
  return state_->transaction_number;
}

LogSize Database::log_size() const {
  return rocks::log_size(state_->directory);
}

std::uint64_t Database::written_bytes() const {
  return state_->written_bytes;
}

int Database::level0_files() const {
  int most = 0;
  if (!state_->db) return most;
  for (std::size_t i = 0; i < kFamilyCount; ++i) most = std::max(most, state_->level0_files(i));
  return most;
}

void Database::merge_level0_meanwhile() {
  if (state_->merging.load()) return;
  bool due = false;
  for (std::size_t i = 0; i < kFamilyCount; ++i) due = due || state_->level0_files(i) >= many_level0_files(i);
  if (!due) return;
  state_->join_merger();
  state_->merging = true;
  try {
    state_->merger = std::thread([state = state_.get()] {
      state->merge_level0();
      state->merging = false;
    });
  } catch (const std::system_error&) {
    state_->merging = false;  // no thread is to be had: they stay as well
  }
}

std::uint64_t Database::close() {
  if (!state_->db) return 0;
  const LogSize logs = log_size();
  const bool flushes = logs.bytes > kMaxLogBytes || logs.logs >= kMaxLogs;
  if (flushes) {
    try {
      state_->flush();
    } catch (const Error&) {
      // It only shortens the next opening; what was committed is durable without it.
    }
  }
  state_->close();
  if (flushes) state_->acknowledge();  // now that the logs are gone
  return flushes ? logs.bytes : 0;
}

}  // namespace fq::store::rocks
