// How fq opens RocksDB, and how its statuses become errors. Private to lib/store.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "base/error.h"
#include "store/reader.h"

namespace fq::store::rocks {

/// Of a merged file, at most. Every opener reads the list of files: so large that there are few of them.
inline constexpr std::uint64_t kMergedFileBytes = 16U << 20U;

/// The options to open with.
[[nodiscard]] rocksdb::DBOptions database_options();
[[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors();

/// `what: reason` with the kind that fits the status.
[[nodiscard]] Error to_error(const rocksdb::Status& status, std::string_view what);
/// Throws that, or DamageError where the status tells of damage.
[[noreturn]] void throw_error(const rocksdb::Status& status, std::string_view what);

[[nodiscard]] inline rocksdb::Slice to_slice(std::string_view text) {
  return {text.data(), text.size()};
}
[[nodiscard]] inline std::string_view to_view(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

/// An iterator that obeys the options; they outlive it.
using MakeIterator = std::function<std::unique_ptr<rocksdb::Iterator>(const rocksdb::ReadOptions&)>;
/// A Cursor over [from, to); an empty `to` means no end.
[[nodiscard]] std::unique_ptr<Cursor> make_cursor(const MakeIterator& make, std::string_view from,
                                                  std::string_view to);

/// Reader::last_keys by that iterator.
[[nodiscard]] std::vector<std::string> last_keys(rocksdb::Iterator& iterator, std::string_view prefix,
                                                 std::size_t most);

}  // namespace fq::store::rocks
