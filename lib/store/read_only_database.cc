#include "store/read_only_database.h"

#include <algorithm>

#include "base/error.h"
#include "store/file_system.h"
#include "store/rocksdb_options.h"

namespace fq::store {

ReadOnlyDatabase::ReadOnlyDatabase(const std::string& directory) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::DBOptions options = database_options();
  options.env = reader_env();
  const Opening opening(directory, Opening::For::reading);
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, directory, family_descriptors(), &handles, &opened);
  if (!status.ok()) throw to_error(status, "cannot open the store");
  db_.reset(opened);
  allow_open_tables(*db_);
  std::copy(handles.begin(), handles.end(), families_.begin());
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
}

std::optional<std::string> ReadOnlyDatabase::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions{}, handle(family), to_slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw to_error(status, "cannot read the store");
  return value;
}

std::unique_ptr<Cursor> ReadOnlyDatabase::scan(Family family, std::string_view from,
                                               std::string_view to) const {
  return make_cursor(
      [&](const rocksdb::ReadOptions& options) {
        return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, handle(family)));
      },
      from, to);
}

std::vector<std::string> ReadOnlyDatabase::last_keys(Family family, std::string_view prefix,
                                                     std::size_t most) const {
  const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(rocksdb::ReadOptions{}, handle(family)));
  return store::last_keys(*at, prefix, most);
}

}  // namespace fq::store
