#include "store/rocks/paced_file_system.h"

#include <string>
#include <utility>

#include "base/clock.h"
#include "store/rocks/right_of_way.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr double kTurn_s = 0.0005;
constexpr double kPause_s = 0.0001;

void pause_after_a_turn(const std::string& database) {
  thread_local double turn_began = 0;
  const SystemClock clock;
  if (clock.boot_time() < turn_began + kTurn_s) return;
  pause_for(kPause_s);
  give_way(database);
  turn_began = clock.boot_time();
}

class PacedFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  PacedFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, std::string database)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), database_(std::move(database)) {}
  IOStatus Read(std::uint64_t offset, std::size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    pause_after_a_turn(database_);
    return FSRandomAccessFileOwnerWrapper::Read(offset, n, options, result, scratch, debug);
  }

 private:
  std::string database_;  ///< its directory
};

class PacedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "fq.paced"; }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, file, debug);
    if (status.ok()) {
      *file = std::make_unique<PacedFile>(std::move(*file), path.substr(0, path.rfind('/')));
    }
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> paced(const std::shared_ptr<rocksdb::FileSystem>& files) {
  return std::make_shared<PacedFileSystem>(files);
}

}  // namespace fq::store::rocks
