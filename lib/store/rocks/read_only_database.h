// The database opened for reading only: nothing of it is changed, others may write it meanwhile
// (store/rocks/snapshot.h says what that means). Private to lib/store.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include <rocksdb/db.h>

#include "store/reader.h"
#include "store/rocks/file_system.h"

namespace fq::store::rocks {

/// When the tables of a database are opened: as they are read, so many at a time; or all at once, after which
/// nobody can take one away.
enum class Tables : std::uint8_t { when_read, at_once };

class ReadOnlyDatabase final : public Reader {
 public:
  /// Throws Error where it cannot be opened. To salvage what is damaged it goes on where it otherwise ends.
  explicit ReadOnlyDatabase(const std::string& directory, Opening::For purpose = Opening::For::reading,
                            Tables tables = Tables::when_read);
  ~ReadOnlyDatabase() override;
  ReadOnlyDatabase(const ReadOnlyDatabase&) = delete;
  ReadOnlyDatabase& operator=(const ReadOnlyDatabase&) = delete;

  [[nodiscard]] std::optional<std::string> get(Family family, std::string_view key) const override;
  [[nodiscard]] std::unique_ptr<Cursor> scan(Family family, std::string_view from,
                                             std::string_view to) const override;
  [[nodiscard]] std::vector<std::string> last_keys(Family family, std::string_view prefix,
                                                   std::size_t most) const override;

  /// Over all keys of a family. This must outlive it.
  [[nodiscard]] std::unique_ptr<rocksdb::Iterator> iterator(Family family) const;
  /// The least and the greatest key of each table of a family, in order.
  [[nodiscard]] std::set<std::string> table_bounds(Family family) const;
  /// The names of the tables that belong to it.
  [[nodiscard]] std::vector<std::string> tables() const;

 private:
  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return families_.at(static_cast<std::size_t>(family));
  }
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, kFamilyCount> families_{};
};

}  // namespace fq::store::rocks
