// While `lose-unsynced` is armed, what a process writes to the store's files reaches them when it is synced
// and never otherwise: after every process the files are what a power failure would have left of them.

#include "store/rocks/base_file_system.h"

#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "crash/fault/armed.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class LossyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const rocksdb::Slice& data, const IOOptions&, IODebugContext*) override {
    unsynced_.append(data.data(), data.size());
    return IOStatus::OK();
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options, const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = write(options, debug);
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, debug) : status;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    IOStatus status = write(options, debug);
    return status.ok() ? FSWritableFileOwnerWrapper::Fsync(options, debug) : status;
  }
  std::uint64_t GetFileSize(const IOOptions& options, IODebugContext* debug) override {
    return FSWritableFileOwnerWrapper::GetFileSize(options, debug) + unsynced_.size();
  }

 private:
  IOStatus write(const IOOptions& options, IODebugContext* debug) {
    if (unsynced_.empty()) return IOStatus::OK();
    IOStatus status = FSWritableFileOwnerWrapper::Append(unsynced_, options, debug);
    if (status.ok()) unsynced_.clear();
    return status;
  }
  std::string unsynced_;
};

class LossyRandomFile final : public rocksdb::FSRandomRWFileOwnerWrapper {
 public:
  using FSRandomRWFileOwnerWrapper::FSRandomRWFileOwnerWrapper;

  IOStatus Write(std::uint64_t offset, const rocksdb::Slice& data, const IOOptions&,
                 IODebugContext*) override {
    unsynced_.emplace_back(offset, data.ToString());
    return IOStatus::OK();
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    for (const auto& [offset, data] : std::exchange(unsynced_, {})) {
      IOStatus status = FSRandomRWFileOwnerWrapper::Write(offset, data, options, debug);
      if (!status.ok()) return status;
    }
    return FSRandomRWFileOwnerWrapper::Sync(options, debug);
  }

 private:
  std::vector<std::pair<std::uint64_t, std::string>> unsynced_;
};

class LossyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "lossy"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<LossyFile>(std::move(*file));
    return status;
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* file, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomRWFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<LossyRandomFile>(std::move(*file));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> base_file_system() {
  auto real = rocksdb::FileSystem::Default();
  if (::access(fault::armed_path("lose-unsynced").c_str(), F_OK) != 0) return real;
  return std::make_shared<LossyFileSystem>(std::move(real));
}

}  // namespace fq::store::rocks
