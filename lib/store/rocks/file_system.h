// The file system as RocksDB sees it: the real one, less what costs a short-lived process time for nothing.
//
// - RocksDB would write all its options into a new file at each opening, read them back and sync twice. fq
//   gives them anew each time and reads them from nowhere, so such a file cannot be made here; RocksDB goes
//   on without.
// - No log of what RocksDB does is written, where it would by itself (in a merge): it ends the process when
//   such a write fails.
// - The manifest of an opening is put off until it tells something new (store/rocks/lazy_manifest.h).
// - Write-ahead logs are kept in one file (store/rocks/journal.h).
// - Files are the owner's alone, whatever the umask.
// - What is deleted goes into the trash (base/trash.h) beside the database's directory, where there is one.
// - A directory in which this process made or renamed nothing since it synced it is not synced. (An unlinked
//   file may come back after a crash; RocksDB removes what it does not know. What an earlier process left
//   unsynced is seen to where it counts: logs by open_database, CURRENT before anything is removed.)

#pragma once

#include <cstdarg>
#include <string>
#include <vector>

#include <rocksdb/env.h>

#include "store/rocks/journal.h"

namespace fq::store::rocks {

/// RocksDB's info log, which is not kept: it would cost a file at every opening.
class NoLog final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

/// These live as long as the process. A reader needs no background threads, and gets none: it works where no
/// more can be started. A merge is a reader, too.
[[nodiscard]] rocksdb::Env* database_env();
[[nodiscard]] rocksdb::Env* reader_env();

/// While this lives, the database in `directory` is being opened.
class Opening {
 public:
  enum class For { writing, reading, salvage };
  Opening(const std::string& directory, For purpose);
  /// Reads again what is in the journal.
  void reload();
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  std::string directory_;
  For purpose_;
};

/// The names of the logs of a database that are files of their own, in no order. Throws Kind::io where it
/// cannot be looked at.
[[nodiscard]] std::vector<std::string> log_files(const std::string& directory);
/// Makes its journal, where there is none, after this process opened it. Throws Error{no_space}, {io}.
void make_journal(const std::string& directory);
/// A sync of one of its logs failed, in this process or an earlier one: all logs must be in tables before
/// anything is committed on top of them (store/rocks/journal.h). The first two after this process opened it.
[[nodiscard]] bool sync_has_failed(const std::string& directory);
void forget_failed_sync(const std::string& directory);
void note_failed_sync(const std::string& directory);
/// How far its journal goes, and whether it seems to have gone on once, after this process opened it.
[[nodiscard]] JournalExtent journal_extent(const std::string& directory);
[[nodiscard]] bool journal_goes_on(const std::string& directory);
/// That much of its manifest is synced, for this process that opened it.
void set_synced_manifest(const std::string& directory, const ManifestExtent& extent);
/// Notes that this was its last transaction and how far its files go; what is there is synced. After this
/// process opened it for writing. Never throws.
void acknowledge(const std::string& directory, std::uint64_t transaction) noexcept;
/// The directory that was opened last; empty for none.
[[nodiscard]] std::string opened_directory();
/// All its logs, after this process opened it. Throws as log_files.
[[nodiscard]] LogSize log_size(const std::string& directory);

}  // namespace fq::store::rocks
