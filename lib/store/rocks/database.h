// The store's RocksDB database, opened by a writer that holds the store lock, and the transaction it makes.
//
// One transaction is one atomic, synced write batch: all of it lands or none. It carries a transaction
// number; when a write reports failure, the database is opened again and the number tells whether the batch
// was kept (a failed sync may still have made it durable).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/rocks/log_size.h"
#include "store/transaction.h"

namespace fq::store::rocks {

class Database;

/// A batch of RocksDB, over the database that began it and that must outlive it.
class Transaction final : public store::Transaction {
 public:
  ~Transaction() override;
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override;
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override;
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override;
  void put(Family family, std::string_view key, std::string_view value) override;
  void erase(Family family, std::string_view key) override;
  void append(Family family, std::string_view key, std::string_view bytes) override;
  [[nodiscard]] std::size_t bytes() const override;
  [[nodiscard]] bool empty() const override;

  void commit() override;
  /// The same, and moves all logs into tables. Throws too when only that failed.
  void commit_to_tables();

 private:
  friend class Database;
  struct State;
  explicit Transaction(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class Database {
 public:
  /// Opens `directory` (the `db/` of a store). REQUIRES the store lock. Throws Error{not_found} when there is
  /// no database and `create` is false, Error{io}, Error{no_space}, Error{exhausted} when no thread can be
  /// started.
  [[nodiscard]] static Database open(const std::string& directory, bool create);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;

  /// Keeps logs in a journal from the next opening on (store/rocks/journal.h); one that is made does so from
  /// the start. Only once what programs that see no journal read says that it is not for them. Throws Error.
  void begin_journal();

  /// One at a time.
  [[nodiscard]] Transaction begin();
  /// The number of the last committed transaction; 0 in a new database.
  [[nodiscard]] std::uint64_t transaction_number() const;

  /// The logs that the next opener would have to replay.
  [[nodiscard]] LogSize log_size() const;
  /// The largest number of level-0 files of any family: every lookup may have to ask each of them. 0 once it
  /// is closed, or a commit's outcome is unknown.
  [[nodiscard]] int level0_files() const;
  /// The bytes of all commits since it was opened, of those that failed, too.
  [[nodiscard]] std::uint64_t written_bytes() const;
  /// For a long run of chunks: merges level-0 files into larger ones, on another thread, if they have piled
  /// up and none is at it. close waits for it.
  void merge_level0_meanwhile();
  /// Flushes the logs into tables when they have grown past what an opener should replay, then closes.
  /// Returns how many bytes of logs it flushed. The destructor closes without flushing.
  std::uint64_t close();

 private:
  friend class Transaction;
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fq::store::rocks
