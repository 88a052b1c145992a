// A store in memory: ordered keys, one transaction at a time, nothing on a disk. For the simulator, and for
// tests that need no files.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/transaction.h"

namespace fq::store::memory {

/// A family's keys and values, in the order of bytes.
using Table = std::map<std::string, std::string, std::less<>>;

class Database;

/// Changes the database at once and keeps what was there, to give it back unless the batch is committed: a
/// read costs one look-up. A cursor of it may go on after later changes, until the next commit.
class Transaction final : public store::Transaction {
 public:
  ~Transaction() override;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override;
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override;
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override;
  void put(Family family, std::string_view key, std::string_view value) override;
  void erase(Family family, std::string_view key) override;
  void append(Family family, std::string_view key, std::string_view bytes) override;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool empty() const override { return undo_.empty(); }
  void commit() override;

 private:
  friend class Database;
  class Range;
  /// One change, and how to take it back.
  struct Undo {
    enum class Kind : std::uint8_t { came, replaced, grew, went } kind = Kind::came;
    Table* table = nullptr;
    Table::value_type* entry = nullptr;  ///< but of what went
    std::string value{};                 ///< what was replaced
    std::size_t size = 0;                ///< of what grew
    Table::node_type erased{};           ///< what went
  };
  explicit Transaction(Database& database) : database_(database) {}
  [[nodiscard]] Table& table(Family family) const;
  void note(Undo undo, std::size_t bytes);

  Database& database_;
  std::vector<Undo> undo_;
  std::size_t bytes_ = 0;
  std::uint64_t changes_ = 0;  ///< of the sets of keys, so far
};

class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// One at a time. This must outlive it.
  [[nodiscard]] std::unique_ptr<store::Transaction> begin();
  /// The number of the last committed transaction; 0 in a new database.
  [[nodiscard]] std::uint64_t transaction_number() const { return transaction_number_; }

 private:
  friend class Transaction;
  std::array<Table, kFamilyCount> tables_;
  std::uint64_t transaction_number_ = 0;
};

}  // namespace fq::store::memory
