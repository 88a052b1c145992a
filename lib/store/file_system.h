// The file system as RocksDB sees it: the real one, less what costs a short-lived process time for nothing.
//
// - RocksDB would write all its options into a new file at each opening, read them back and sync twice. fq
//   gives them anew each time and reads them from nowhere, so such a file cannot be made here; RocksDB goes
//   on without.
// - No log of what RocksDB does is written, where it would by itself (in a merge): it ends the process when
// such
//   a write fails.
// - The manifest of an opening is put off until it tells something new (store/lazy_manifest.h).
// - What is deleted goes into the trash (base/trash.h) beside the database's directory, where there is one.
// - A directory in which nothing was made or renamed since it was synced is not synced again. (An unlinked
//   file may come back after a crash; RocksDB removes what it does not know.)

#pragma once

#include <cstdarg>
#include <string>

#include <rocksdb/env.h>

namespace fq::store {

/// RocksDB's info log, which is not kept: it would cost a file at every opening.
class NoLog final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char*, va_list) override {}
};

/// Both live as long as the process. A reader needs no background threads, and gets none: it works where no
/// more can be started.
[[nodiscard]] rocksdb::Env* database_env();
[[nodiscard]] rocksdb::Env* reader_env();

/// While this lives, the database in `directory` is being opened for writing.
class Opening {
 public:
  explicit Opening(const std::string& directory);
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  std::string directory_;
};

}  // namespace fq::store
