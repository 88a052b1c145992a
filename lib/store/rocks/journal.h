// RocksDB's write-ahead logs, all in one file.
//
// Each opening of a database for writing begins a log of its own. As files of their own these cost every
// short process a new name and new blocks, which a commit then waits for, and later somebody their removal,
// which on some disks takes longer than the commit. So what RocksDB appends to a log becomes a frame in one
// file, `journal`, which has its blocks already: a commit is one write and one sync that changes no metadata.
// What RocksDB asks about logs is answered from the frames.
//
// A frame is, little-endian, `fqJ1`, a CRC-32, epoch (8 bytes), log (8), its place in the epoch (4), the
// number of bytes (4), the bytes. The CRC is of what follows it, begun with that of the frame before, so that
// what is left of earlier writes never joins on. The frames from the start of the file that have one epoch
// and count up are what is there: a torn one ends them, and the next is written over it. When RocksDB has
// removed all logs, the next frame begins a new epoch at the start of the file. Removal itself needs not
// last: the manifest says below which number logs count no more.
//
// What is long goes into files: a log that begins when much is in the journal. So does everything where there
// is no journal yet: older programs, which do not see it, must first find in their logs that the store is not
// theirs any more.
//
// A frame begins on a sector of its own, so that only a disk that harms what it does not write can tear an
// earlier one.
//
// After a failed sync, of whatever log, the system may forget that its pages are not on the disk: they are
// read from memory, and later syncs succeed without them. Then a mark is written behind the frames, where the
// next one will be: a frame of log 0 without bytes. It needs no sync, for with the memory that it is to be
// found in go the pages in question. Who finds it moves all logs into tables before anything is committed on
// top.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "store/rocks/acknowledged.h"
#include "store/rocks/journal_frame.h"
#include "store/rocks/log_size.h"

namespace fq::store::rocks {

/// Of one database directory. Its calls come from several threads.
class Journal {
 public:
  using IOStatus = rocksdb::IOStatus;

  static constexpr const char* kName = "journal";
  /// With so much in it a new log becomes a file: that is bulk work, which flushes as it goes.
  static constexpr std::uint64_t kMostBytes = 1U << 20U;

  /// `files` outlives this and the files that it hands out.
  Journal(rocksdb::FileSystem* files, const std::string& directory)
      : files_(files), path_(directory + "/" + kName) {}

  /// An opening begins: what is in the file is read. A log that is handed out already must not be used again.
  /// To salvage what is damaged it is read on behind frames that are not what was written.
  void load(bool salvage = false);
  /// Whether it could be read; where not, nobody must go by what is here.
  [[nodiscard]] IOStatus status() const;
  /// It has ended: what was read is not kept any longer.
  void forget_contents();

  /// How far it goes, contents or not.
  [[nodiscard]] JournalExtent extent() const;
  /// Whether frames that once followed the last one lie behind its end, as where one is not what was written.
  /// That is sure only as long as no commit was torn there.
  [[nodiscard]] bool goes_on() const;
  /// What is in it, contents or not. Removed logs count while the file still holds their frames.
  [[nodiscard]] LogSize size() const;

  /// Makes the file, where there is none: from the next log on it is used.
  IOStatus create();

  /// Leaves the mark, as far as it can be written.
  void note_failed_sync();
  /// Whether it was there when the opening began, or is since then.
  [[nodiscard]] bool sync_has_failed() const;
  /// Takes it away: all logs are in tables.
  void forget_failed_sync();

  /// The names of the logs whose contents are there.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Bytes of a log; false where it is not in here.
  [[nodiscard]] bool size_of(const std::string& path, std::uint64_t* bytes) const;

  /// The hooks: each answers whether it took the operation upon itself. `path` may be of any file.
  [[nodiscard]] bool make(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file);
  [[nodiscard]] bool reopen(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file);
  [[nodiscard]] bool read(const std::string& path, std::unique_ptr<rocksdb::FSSequentialFile>* file) const;
  [[nodiscard]] bool remove(const std::string& path);

 private:
  class Log;
  struct Contents {
    std::uint64_t size = 0;
    std::shared_ptr<std::string> bytes;  ///< until they are forgotten
  };

  IOStatus append(std::uint64_t log, const rocksdb::Slice& data);
  IOStatus sync();
  void close_log();
  [[nodiscard]] std::uint64_t failed_syncs() const;
  /// REQUIRES the mutex.
  [[nodiscard]] IOStatus read_frames();
  struct Frame {
    FrameHeader header;
    std::string bytes;
  };
  /// Visits, until it returns false, what was written behind the frames that were read.
  using FrameVisitor = std::function<bool(const Frame&)>;
  [[nodiscard]] IOStatus read_behind(const FrameVisitor& visit) const;
  void add(const FrameHeader& header, std::string_view bytes);
  [[nodiscard]] FrameHeader next_header(std::uint64_t log) const;
  void write_mark();
  [[nodiscard]] IOStatus fill();
  [[nodiscard]] IOStatus open_file();
  [[nodiscard]] IOStatus begin_epoch();
  [[nodiscard]] IOStatus sync_directory();

  rocksdb::FileSystem* files_;
  std::string path_;
  std::mutex sync_mutex_;  ///< held during a sync, and before the other
  mutable std::mutex mutex_;
  std::shared_ptr<rocksdb::FSRandomRWFile> file_;  ///< while logs are being written
  int open_logs_ = 0;
  std::map<std::uint64_t, Contents> logs_;  ///< by number
  std::uint64_t epoch_ = 0;                 ///< 0: none has begun
  std::uint32_t frames_ = 0;                ///< of the epoch
  std::uint32_t crc_ = 0;                   ///< of the last of them
  std::uint64_t end_ = 0;                   ///< of the last of them
  std::uint64_t file_bytes_ = 0;            ///< 0: there is none
  std::uint64_t appended_ = 0;              ///< frames, by this process
  std::uint64_t synced_ = 0;                ///< of those
  std::uint64_t failed_syncs_ = 0;
  bool sync_failed_ = false;  ///< the mark is there, or should be
  IOStatus status_;
};

}  // namespace fq::store::rocks
