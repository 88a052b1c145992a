// Puts off the manifest that RocksDB writes at every opening until the store's set of tables changes.
//
// RocksDB opens a database by writing what it has just read into a new manifest and pointing CURRENT at it:
// three syncs, where a commit is one. A process that only appends to a log needs none of that: the manifest
// that is there says the same, and the logs that it does not name are found in the directory. So during an
// opening the new manifest is kept in memory, CURRENT stays, and so does the manifest that it names. The
// switch is made up for
//   - at the first sync of the manifest after the opening, which tells of new tables;
//   - before a log or a table is deleted, which the old manifest may still count on.
// In both cases: write and sync the manifest, write and sync the new CURRENT, rename it, sync the directory,
// then delete the manifests that RocksDB wanted gone. Until the rename the old state counts, from then on the
// new one. When a switch has failed nobody can tell which of them will be found: nothing is deleted until
// CURRENT has been renamed, or the database opened, anew.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "store/rocks/acknowledged.h"

namespace fq::store::rocks {

/// Of one database directory. Its calls come from several threads.
class LazyManifest {
 public:
  using IOStatus = rocksdb::IOStatus;

  /// `target` writes the files when the time has come; both it and this outlive the files handed out.
  LazyManifest(rocksdb::FileSystem* target, std::string directory)
      : target_(target), directory_(std::move(directory)) {}

  /// From here on what RocksDB does to manifest and CURRENT is part of an opening. Forgets what was put off
  /// before. Only where there is a CURRENT: a database that is being made writes its own.
  void begin_opening();
  void end_opening();

  /// What CURRENT names, as far as it is on the disk for sure; number 0 where that is not known here.
  [[nodiscard]] ManifestExtent synced() const;
  /// So it was found, and is synced.
  void set_synced(const ManifestExtent& extent);

  /// The hooks: each answers whether it took the operation upon itself.
  bool make_file(const std::string& path, const rocksdb::FileOptions& options,
                 std::unique_ptr<rocksdb::FSWritableFile>* file);
  bool rename(const std::string& from, const std::string& to);
  bool remove(const std::string& path);
  /// The size of the manifest in memory.
  bool file_size(const std::string& path, std::uint64_t* size);

  /// Before a file is deleted that `remove` has not taken: only if this succeeds.
  IOStatus before_removal();
  /// CURRENT was renamed by RocksDB.
  void current_renamed();

 private:
  class File;
  struct Manifest {
    std::string path, bytes;
    rocksdb::FileOptions options;
    std::unique_ptr<rocksdb::FSWritableFile> real;  ///< once switched
    ManifestExtent written;                         ///< to it
  };

  /// REQUIRES the mutex.
  [[nodiscard]] bool is_put_off() const { return manifest_ && !manifest_->real; }
  IOStatus switch_over();
  IOStatus write_manifest();
  IOStatus point_current_at(const std::string& name);

  rocksdb::FileSystem* target_;
  std::string directory_;
  mutable std::mutex mutex_;
  ManifestExtent synced_;
  bool opening_ = false;
  bool failed_ = false;  ///< a switch
  std::shared_ptr<Manifest> manifest_;
  std::vector<std::string> obsolete_;  ///< manifests to delete after the switch
};

}  // namespace fq::store::rocks
