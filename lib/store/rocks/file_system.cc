#include "store/rocks/file_system.h"

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/trash.h"
#include "store/rocks/base_file_system.h"
#include "store/rocks/damage.h"
#include "store/rocks/journal.h"
#include "store/rocks/lazy_manifest.h"
#include "store/rocks/rocksdb_options.h"
#include "store/rocks/rocksdb_start.h"

namespace fq::store::rocks {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

/// Whether this process made a name since the last sync. It opens one database: one directory.
struct Unsynced {
  std::mutex mutex;  ///< held during a sync: nobody goes by one that is not done
  bool names = false;
};

class StoreDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  StoreDirectory(std::unique_ptr<rocksdb::FSDirectory>&& directory, std::shared_ptr<Unsynced> unsynced)
      : FSDirectoryWrapper(std::move(directory)), unsynced_(std::move(unsynced)) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return once([&] { return FSDirectoryWrapper::Fsync(options, debug); });
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& reason) override {
    return once([&] { return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, reason); });
  }

 private:
  template <typename Sync>
  IOStatus once(Sync sync) {
    const std::lock_guard held(unsynced_->mutex);
    if (!unsynced_->names) return IOStatus::OK();
    IOStatus status = sync();
    unsynced_->names = !status.ok();
    return status;
  }
  std::shared_ptr<Unsynced> unsynced_;
};

// Makes files that are the owner's alone; deletes by moving into the trash, where there is one.
class OwnersFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "fq.owner"; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return owned(path, FileSystemWrapper::NewWritableFile(path, options, file, debug));
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    return owned(path, FileSystemWrapper::ReopenWritableFile(path, options, file, debug));
  }

  IOStatus DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    if (move_to_trash(path, trash_of(path))) return IOStatus::OK();
    return FileSystemWrapper::DeleteFile(path, options, debug);
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    // What it replaces is freed with its last name.
    link_in_trash(to, trash_of(to));
    return FileSystemWrapper::RenameFile(from, to, options, debug);
  }

 private:
  /// The engine leaves it to the umask; until then the directory keeps others out.
  static IOStatus owned(const std::string& path, IOStatus made) {
    if (!made.ok() || ::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0) return made;
    return IOStatus::IOError("cannot change the mode of " + path);
  }
  /// `STORE/trash` of the file `STORE/db/NAME`.
  static std::string trash_of(const std::string& path) {
    const std::size_t database = path.rfind('/');
    return path.substr(0, path.rfind('/', database - 1)) + "/trash";
  }
};

// A log that is a file of its own, of which the journal is told when it cannot be synced.
class LogFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LogFile(std::unique_ptr<rocksdb::FSWritableFile>&& file, Journal& journal)
      : FSWritableFileOwnerWrapper(std::move(file)), journal_(journal) {}

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return told(FSWritableFileOwnerWrapper::Sync(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return told(FSWritableFileOwnerWrapper::Fsync(options, debug));
  }

 private:
  IOStatus told(IOStatus status) {
    if (!status.ok()) journal_.note_failed_sync();
    return status;
  }
  Journal& journal_;
};

class StoreFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "fq"; }

  void set_opened(const std::string& directory) {
    const std::lock_guard held(mutex_);
    opened_ = directory;
  }
  [[nodiscard]] std::string opened() {
    const std::lock_guard held(mutex_);
    return opened_;
  }

  /// Those of the database in `directory`.
  LazyManifest& manifest(const std::string& directory) { return files_of(directory).manifest; }
  Journal& journal(const std::string& directory) { return files_of(directory).journal; }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    const std::size_t name = path.rfind('/') + 1;
    if (path.compare(name, 8, "OPTIONS-") == 0) return IOStatus::NotSupported();
    if (manifest_of(path).make_file(path, options, file)) return IOStatus::OK();
    if (journal_of(path).make(path, file)) return IOStatus::OK();
    IOStatus status = made(FileSystemWrapper::NewWritableFile(path, options, file, debug));
    if (status.ok() && path.ends_with(".log"))
      *file = std::make_unique<LogFile>(std::move(*file), journal_of(path));
    return status;
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* file,
                              IODebugContext* debug) override {
    if (journal_of(path).reopen(path, file)) return IOStatus::OK();
    return made(FileSystemWrapper::ReopenWritableFile(path, options, file, debug));
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    return made(FileSystemWrapper::ReuseWritableFile(path, old, options, file, debug));
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    if (manifest_of(to).rename(from, to)) return IOStatus::OK();
    IOStatus status = made(FileSystemWrapper::RenameFile(from, to, options, debug));
    if (status.ok() && to.ends_with("/CURRENT")) manifest_of(to).current_renamed();
    return status;
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions& options,
                    IODebugContext* debug) override {
    return made(FileSystemWrapper::LinkFile(from, to, options, debug));
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions& options, IODebugContext* debug) override {
    LazyManifest& manifest = manifest_of(path);
    if (manifest.remove(path)) return IOStatus::OK();
    IOStatus status = manifest.before_removal();
    if (!status.ok()) return status;
    if (journal_of(path).remove(path)) return IOStatus::OK();
    return FileSystemWrapper::DeleteFile(path, options, debug);
  }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* file,
                             IODebugContext* debug) override {
    if (journal_of(path).read(path, file)) return IOStatus::OK();
    return FileSystemWrapper::NewSequentialFile(path, options, file, debug);
  }
  IOStatus GetChildren(const std::string& directory, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::GetChildren(directory, options, names, debug);
    if (!status.ok()) return status;
    for (std::string& name : journal(directory).names()) names->push_back(std::move(name));
    return journal(directory).status();
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, std::uint64_t* size,
                       IODebugContext* debug) override {
    if (manifest_of(path).file_size(path, size)) return IOStatus::OK();
    if (journal_of(path).size_of(path, size)) return IOStatus::OK();
    return FileSystemWrapper::GetFileSize(path, options, size, debug);
  }
  IOStatus NewLogger(const std::string&, const IOOptions&, std::shared_ptr<rocksdb::Logger>* log,
                     IODebugContext*) override {
    *log = std::make_shared<NoLog>();
    return IOStatus::OK();
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, debug);
    if (status.ok()) *directory = std::make_unique<StoreDirectory>(std::move(*directory), unsynced_);
    return status;
  }

 private:
  struct Files {
    Files(rocksdb::FileSystem* target, const std::string& directory)
        : manifest(target, directory), journal(target, directory) {}
    LazyManifest manifest;
    Journal journal;
  };
  Files& files_of(const std::string& directory) {
    const std::lock_guard held(mutex_);
    const std::string path = directory.substr(0, directory.find_last_not_of('/') + 1);
    return files_.try_emplace(path, target(), path).first->second;
  }
  LazyManifest& manifest_of(const std::string& path) { return manifest(path.substr(0, path.rfind('/'))); }
  Journal& journal_of(const std::string& path) { return journal(path.substr(0, path.rfind('/'))); }
  IOStatus made(IOStatus status) {
    if (status.ok()) {
      const std::lock_guard held(unsynced_->mutex);
      unsynced_->names = true;
    }
    return status;
  }
  std::shared_ptr<Unsynced> unsynced_ = std::make_shared<Unsynced>();
  std::mutex mutex_;
  std::map<std::string, Files> files_;  ///< by directory
  std::string opened_;                  ///< the last directory
};

class ReaderEnv final : public rocksdb::EnvWrapper {
 public:
  explicit ReaderEnv(rocksdb::Env* env) : EnvWrapper(env) {
    file_system_ = env->GetFileSystem();
    system_clock_ = env->GetSystemClock();
  }
  void IncBackgroundThreadsIfNeeded(int, Priority) override {}
  void Schedule(void (*work)(void*), void* argument, Priority priority, void* tag,
                void (*unschedule)(void*)) override {
    EnvWrapper::IncBackgroundThreadsIfNeeded(1, priority);
    EnvWrapper::Schedule(work, argument, priority, tag, unschedule);
  }
};

const std::shared_ptr<StoreFileSystem>& file_system() {
  static const auto file_system = [] {
    start_rocksdb();
    return std::make_shared<StoreFileSystem>(std::make_shared<OwnersFileSystem>(base_file_system()));
  }();
  return file_system;
}

}  // namespace

rocksdb::Env* database_env() {
  static rocksdb::Env* const env = rocksdb::NewCompositeEnv(file_system()).release();
  return env;
}

rocksdb::Env* reader_env() {
  static rocksdb::Env* const env = new ReaderEnv(database_env());
  return env;
}

Opening::Opening(const std::string& directory, For purpose) : directory_(directory), purpose_(purpose) {
  file_system()->set_opened(directory_);
  if (purpose_ == For::writing) file_system()->manifest(directory_).begin_opening();
  file_system()->journal(directory_).load(purpose_ == For::salvage);
}
Opening::~Opening() {
  file_system()->journal(directory_).forget_contents();
  if (purpose_ == For::writing) file_system()->manifest(directory_).end_opening();
}

void Opening::reload() {
  file_system()->journal(directory_).load();
}

std::vector<std::string> log_files(const std::string& directory) {
  auto names = names_in(directory);
  if (!names) throw system_error("cannot read " + quote(directory), errno);
  std::erase_if(*names, [](const std::string& name) { return !name.ends_with(".log"); });
  return std::move(*names);
}

void make_journal(const std::string& directory) {
  const rocksdb::IOStatus status = file_system()->journal(directory).create();
  if (!status.ok()) throw_error(status, "cannot make the journal of the store");
}

bool sync_has_failed(const std::string& directory) {
  return file_system()->journal(directory).sync_has_failed();
}

void forget_failed_sync(const std::string& directory) {
  file_system()->journal(directory).forget_failed_sync();
}

void note_failed_sync(const std::string& directory) {
  const Opening opening(directory, Opening::For::reading);
  file_system()->journal(directory).note_failed_sync();
}

JournalExtent journal_extent(const std::string& directory) {
  return file_system()->journal(directory).extent();
}

bool journal_goes_on(const std::string& directory) {
  return file_system()->journal(directory).goes_on();
}

void set_synced_manifest(const std::string& directory, const ManifestExtent& extent) {
  file_system()->manifest(directory).set_synced(extent);
}

namespace {

// Of a process that died something may not be on the disk.
ManifestExtent sync_manifest(const std::string& directory) {
  const ManifestExtent extent = check_manifest(directory, std::nullopt);
  const std::string path = fmt::format("{}/MANIFEST-{:06}", directory, extent.number);
  if (::fdatasync(open_file(path, O_RDONLY).get()) != 0)
    throw system_error("cannot sync " + quote(path), errno);
  sync_directory(directory);
  return extent;
}

}  // namespace

void acknowledge(const std::string& directory, std::uint64_t transaction) noexcept {
  try {
    LazyManifest& manifest = file_system()->manifest(directory);
    Acknowledged now{transaction, manifest.synced(), file_system()->journal(directory).extent()};
    if (now.manifest.number == 0) {
      now.manifest = sync_manifest(directory);
      manifest.set_synced(now.manifest);
    }
    write_acknowledged(directory, now);
  } catch (const Error&) {
    // What was noted before is not wrong.
  }
}

std::string opened_directory() {
  return file_system()->opened();
}

LogSize log_size(const std::string& directory) {
  LogSize size = file_system()->journal(directory).size();
  for (const std::string& name : log_files(directory)) {
    struct stat log {};
    if (::stat(fmt::format("{}/{}", directory, name).c_str(), &log) != 0) continue;
    size.bytes += static_cast<std::uint64_t>(log.st_size);
    ++size.logs;
  }
  return size;
}

}  // namespace fq::store::rocks
