#include "store/rocks/read_only_database.h"

#include <algorithm>

#include "base/error.h"
#include "store/rocks/file_system.h"
#include "store/rocks/rocksdb_options.h"

namespace fq::store::rocks {

ReadOnlyDatabase::ReadOnlyDatabase(const std::string& directory, Opening::For purpose, Tables tables) {
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::DBOptions options = database_options();
  options.env = reader_env();
  if (purpose == Opening::For::salvage) {
    options.paranoid_checks = false;
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  }
  if (tables == Tables::at_once) options.max_open_files = -1;
  const Opening opening(directory, purpose);
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, directory, family_descriptors(), &handles, &opened);
  if (!status.ok()) throw_error(status, "cannot open the store");
  db_.reset(opened);
  std::copy(handles.begin(), handles.end(), families_.begin());
}

ReadOnlyDatabase::~ReadOnlyDatabase() {
  for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
}

std::unique_ptr<rocksdb::Iterator> ReadOnlyDatabase::iterator(Family family) const {
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(rocksdb::ReadOptions{}, handle(family)));
}

std::set<std::string> ReadOnlyDatabase::table_bounds(Family family) const {
  rocksdb::ColumnFamilyMetaData data;
  db_->GetColumnFamilyMetaData(handle(family), &data);
  std::set<std::string> bounds;
  for (const rocksdb::LevelMetaData& level : data.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      bounds.insert(file.smallestkey);
      bounds.insert(file.largestkey);
    }
  }
  return bounds;
}

std::vector<std::string> ReadOnlyDatabase::tables() const {
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files) names.push_back(file.relative_filename);
  return names;
}

std::optional<std::string> ReadOnlyDatabase::get(Family family, std::string_view key) const {
  std::string value;
  const rocksdb::Status status = db_->Get(rocksdb::ReadOptions{}, handle(family), to_slice(key), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) throw_error(status, "cannot read the store");
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
  return rocks::last_keys(*at, prefix, most);
}

}  // namespace fq::store::rocks
