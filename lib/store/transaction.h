// What a writer does to a store: one atomic batch in the making, whatever the engine. The engines are
// store/rocks, on a disk, and store/memory.

#pragma once

#include <cstddef>
#include <string_view>

#include "store/reader.h"

namespace fq::store {

/// A bulk writer commits when a transaction has grown to this size, so that no log record is larger.
inline constexpr std::size_t kChunkBytes = 2U << 20U;

/// Reads its own writes. Not committed means nothing happened: the destructor drops it.
class Transaction : public Reader {
 public:
  virtual void put(Family family, std::string_view key, std::string_view value) = 0;
  virtual void erase(Family family, std::string_view key) = 0;
  /// Adds `bytes` at the end of the value (an event log grows by this, never by reading it). A value that is
  /// appended to must not be met by `scan` in the same transaction.
  virtual void append(Family family, std::string_view key, std::string_view bytes) = 0;

  /// Bytes that a commit would write; bulk work commits at about kChunkBytes.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  [[nodiscard]] virtual bool empty() const = 0;

  /// Writes everything atomically and durably, and empties the transaction for further use. Throws
  /// Error{no_space}, {io} when nothing was kept, or {unknown_outcome} when that cannot be told.
  virtual void commit() = 0;
};

/// Key in Family::instance of the number of the last commit, decimal; each commit writes the next one.
inline constexpr std::string_view kTransactionKey = "transaction";
/// The number of the last commit; 0 in a new database.
[[nodiscard]] std::uint64_t transaction_number(const Reader& reader);

}  // namespace fq::store
