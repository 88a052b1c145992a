#include "store/rocks/batch_cursor.h"

#include "store/rocks/rocksdb_options.h"

namespace fq::store::rocks {

BatchCursor::BatchCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& family,
                         rocksdb::WriteBatchWithIndex& batch, std::string_view from, std::string_view to)
    : db_(&db),
      family_(&family),
      batch_(&batch),
      from_(from),
      to_(to),
      only_stored_(is_clear()),
      seen_(written()) {
  if (!only_stored_) {
    cursor_ = merged(from);
    return;
  }
  cursor_ = make_cursor(
      [&](const rocksdb::ReadOptions& options) {
        return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options, family_));
      },
      from, to);
}

void BatchCursor::next() {
  if (is_current()) return cursor_->next();
  const std::string last{key()};
  cursor_ = merged(last);
  // It may have been erased.
  if (cursor_->valid() && cursor_->key() == last) cursor_->next();
}

void BatchCursor::seek(std::string_view key) {
  if (is_current()) return cursor_->seek(key);
  cursor_ = merged(key);
}

bool BatchCursor::is_clear() const {
  const std::unique_ptr<rocksdb::WBWIIterator> at(batch_->NewIterator(family_));
  at->Seek(to_slice(from_));
  return !at->Valid() || (!to_.empty() && to_view(at->Entry().key) >= to_);
}

bool BatchCursor::is_current() {
  if (!only_stored_ || written() == seen_) return true;
  only_stored_ = is_clear();
  seen_ = written();
  return only_stored_;
}

std::unique_ptr<Cursor> BatchCursor::merged(std::string_view from) const {
  return make_cursor(
      [&](const rocksdb::ReadOptions& options) {
        auto* base = db_->NewIterator(options, family_);
        return std::unique_ptr<rocksdb::Iterator>(batch_->NewIteratorWithBase(family_, base, &options));
      },
      from, to_);
}

}  // namespace fq::store::rocks
