#include "store/journal.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "store/journal_frame.h"

namespace fq::store {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSSequentialFile;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// What the file has from the start, and again when more was needed once: what writers let logs grow to before
// they flush them, and a commit.
constexpr std::uint64_t kFileBytes = 320U << 10U;
constexpr std::size_t kReadBytes = 64U << 10U;

// The number of a log's path, `…/000012.log`; 0 for another file.
std::uint64_t log_number(std::string_view path) {
  constexpr std::string_view kSuffix = ".log";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.ends_with(kSuffix)) return 0;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size() - kSuffix.size();
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc{} && rest == end ? number : 0;
}

// The file, read as far as it is asked for.
class Input {
 public:
  explicit Input(std::unique_ptr<FSSequentialFile> file) : file_(std::move(file)) {}

  /// The `size` bytes at `offset`, valid until the next call; fewer at the end of the file, or where it
  /// cannot be read.
  std::string_view at(std::uint64_t offset, std::size_t size) {
    while (!ended_ && read_.size() < offset + size) {
      const std::size_t begin = read_.size();
      const std::size_t wanted = std::max(kReadBytes, static_cast<std::size_t>(offset + size) - begin);
      read_.resize(begin + wanted);
      Slice piece;
      status_ = file_->Read(wanted, IOOptions{}, &piece, read_.data() + begin, nullptr);
      ended_ = !status_.ok() || piece.empty();
      read_.resize(begin + (ended_ ? 0 : piece.size()));
    }
    return offset < read_.size() ? std::string_view(read_).substr(offset, size) : std::string_view{};
  }
  [[nodiscard]] const IOStatus& status() const { return status_; }

 private:
  std::unique_ptr<FSSequentialFile> file_;
  std::string read_;
  IOStatus status_;
  bool ended_ = false;
};

class Reading final : public FSSequentialFile {
 public:
  explicit Reading(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}

  IOStatus Read(std::size_t n, const IOOptions&, Slice* result, char* scratch, IODebugContext*) override {
    const std::string_view piece = std::string_view(*bytes_).substr(at_, n);
    std::memcpy(scratch, piece.data(), piece.size());
    *result = Slice(scratch, piece.size());
    at_ += piece.size();
    return IOStatus::OK();
  }
  IOStatus Skip(std::uint64_t n) override {
    at_ = std::min(bytes_->size(), at_ + static_cast<std::size_t>(n));
    return IOStatus::OK();
  }

 private:
  std::shared_ptr<const std::string> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

class Journal::Log final : public FSWritableFile {
 public:
  Log(Journal& journal, std::uint64_t number, std::uint64_t size)
      : journal_(&journal), number_(number), size_(size) {}
  ~Log() override { close(); }

  using FSWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    IOStatus status = journal_->append(number_, data);
    if (status.ok()) size_ += data.size();
    return status;
  }
  /// RocksDB cuts off what it had allocated behind the end: nothing is.
  IOStatus Truncate(std::uint64_t size, const IOOptions&, IODebugContext*) override {
    return size == size_ ? IOStatus::OK() : IOStatus::NotSupported("a log cannot be cut");
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override {
    close();
    return IOStatus::OK();
  }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return journal_->sync(); }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }

 private:
  void close() {
    if (!std::exchange(closed_, true)) journal_->close_log();
  }
  Journal* journal_;
  std::uint64_t number_;
  std::uint64_t size_;
  bool closed_ = false;
};

void Journal::load() {
  const std::lock_guard held(mutex_);
  file_.reset();
  logs_.clear();
  epoch_ = end_ = file_bytes_ = 0;
  frames_ = crc_ = 0;
  sync_failed_ = false;
  status_ = read_frames();
}

IOStatus Journal::read_frames() {
  std::unique_ptr<FSSequentialFile> file;
  IOStatus status = files_->NewSequentialFile(path_, FileOptions{}, &file, nullptr);
  if (status.IsNotFound() || status.IsPathNotFound()) return IOStatus::OK();
  if (status.ok()) status = files_->GetFileSize(path_, IOOptions{}, &file_bytes_, nullptr);
  if (!status.ok()) return status;
  Input input(std::move(file));
  for (;;) {
    FrameHeader header;
    const std::string_view head = input.at(end_, sizeof header);
    if (head.size() < sizeof header) return input.status();
    std::memcpy(&header, head.data(), sizeof header);
    if (header.magic != FrameHeader::kMagic || header.place != frames_ ||
        (frames_ > 0 && header.epoch != epoch_))
      return input.status();
    // Only what is in the file is asked for, whatever a broken frame says.
    if (header.bytes > file_bytes_) return input.status();
    const std::string_view bytes = input.at(end_ + sizeof header, header.bytes);
    if (bytes.size() < header.bytes || frame_crc(crc_, header, bytes) != header.crc) return input.status();
    sync_failed_ = header.log == kNoLog;
    if (sync_failed_) return input.status();
    epoch_ = header.epoch;
    crc_ = header.crc;
    ++frames_;
    end_ = next_sector(end_ + sizeof header + bytes.size());
    Contents& log = logs_[header.log];
    if (!log.bytes) log.bytes = std::make_shared<std::string>();
    log.bytes->append(bytes);
    log.size += bytes.size();
  }
}

IOStatus Journal::status() const {
  const std::lock_guard held(mutex_);
  return status_;
}

void Journal::forget_contents() {
  const std::lock_guard held(mutex_);
  for (auto& [number, log] : logs_) log.bytes.reset();
}

LogSize Journal::size() const {
  const std::lock_guard held(mutex_);
  return {logs_.empty() ? 0 : end_, static_cast<int>(logs_.size())};
}

std::vector<std::string> Journal::names() const {
  const std::lock_guard held(mutex_);
  std::vector<std::string> names;
  names.reserve(logs_.size());
  for (const auto& [number, log] : logs_) {
    if (log.bytes) names.push_back(fmt::format("{:06}.log", number));
  }
  return names;
}

bool Journal::size_of(const std::string& path, std::uint64_t* bytes) const {
  const std::lock_guard held(mutex_);
  const auto log = logs_.find(log_number(path));
  if (log == logs_.end()) return false;
  *bytes = log->second.size;
  return true;
}

bool Journal::make(const std::string& path, std::unique_ptr<FSWritableFile>* file) {
  const std::lock_guard held(mutex_);
  const std::uint64_t number = log_number(path);
  if (number == 0 || file_bytes_ == 0 || (!logs_.empty() && end_ > kMostBytes)) return false;
  logs_.erase(number);
  ++open_logs_;
  *file = std::make_unique<Log>(*this, number, 0);
  return true;
}

bool Journal::reopen(const std::string& path, std::unique_ptr<FSWritableFile>* file) {
  const std::lock_guard held(mutex_);
  const auto log = logs_.find(log_number(path));
  if (log == logs_.end()) return false;
  ++open_logs_;
  *file = std::make_unique<Log>(*this, log->first, log->second.size);
  return true;
}

bool Journal::read(const std::string& path, std::unique_ptr<FSSequentialFile>* file) const {
  const std::lock_guard held(mutex_);
  const auto log = logs_.find(log_number(path));
  if (log == logs_.end() || !log->second.bytes) return false;
  *file = std::make_unique<Reading>(log->second.bytes);
  return true;
}

bool Journal::remove(const std::string& path) {
  const std::lock_guard held(mutex_);
  if (logs_.erase(log_number(path)) == 0) return false;
  // So that the next opening does not find them again. Where this is lost, it removes them once more.
  if (logs_.empty() && open_file().ok()) {
    file_->Write(0, Slice(kErased.data(), kErased.size()), IOOptions{}, nullptr).PermitUncheckedError();
  }
  if (open_logs_ == 0) file_.reset();
  return true;
}

IOStatus Journal::append(std::uint64_t log, const Slice& data) {
  const std::lock_guard held(mutex_);
  IOStatus status = open_file();
  if (status.ok() && (logs_.empty() || epoch_ == 0)) status = begin_epoch();
  if (!status.ok()) return status;
  FrameHeader header = next_header(log);
  const std::string bytes = encode_frame(header, crc_, {data.data(), data.size()});
  unsynced_ = true;
  status = file_->Write(end_, bytes, IOOptions{}, nullptr);
  if (!status.ok()) return status;
  crc_ = header.crc;
  ++frames_;
  file_bytes_ = std::max(file_bytes_, end_ + bytes.size());
  end_ = next_sector(end_ + bytes.size());
  logs_[log].size += data.size();
  return status;
}

FrameHeader Journal::next_header(std::uint64_t log) const {
  FrameHeader header;
  header.epoch = epoch_;
  header.log = log;
  header.place = frames_;
  return header;
}

IOStatus Journal::sync() {
  std::shared_ptr<rocksdb::FSRandomRWFile> file;
  {
    const std::lock_guard held(mutex_);
    if (!unsynced_) return IOStatus::OK();
    IOStatus status = open_file();
    if (!status.ok()) return status;
    file = file_;
    unsynced_ = false;
  }
  IOStatus status = file->Sync(IOOptions{}, nullptr);
  if (!status.ok()) {
    const std::lock_guard held(mutex_);
    unsynced_ = true;
    write_mark();
  }
  return status;
}

void Journal::note_failed_sync() {
  const std::lock_guard held(mutex_);
  write_mark();
  if (open_logs_ == 0) file_.reset();
}

bool Journal::sync_has_failed() const {
  const std::lock_guard held(mutex_);
  return sync_failed_;
}

void Journal::forget_failed_sync() {
  const std::lock_guard held(mutex_);
  if (!std::exchange(sync_failed_, false) || !open_file().ok()) return;
  // Where this fails, it is done once more.
  file_->Write(end_, Slice(kErased.data(), kErased.size()), IOOptions{}, nullptr).PermitUncheckedError();
  if (open_logs_ == 0) file_.reset();
}

void Journal::write_mark() {
  // A store that has no journal yet cannot be marked.
  if (file_bytes_ == 0 || !open_file().ok()) return;
  if (logs_.empty()) frames_ = crc_ = end_ = 0;  // the next frame begins a new epoch
  sync_failed_ = true;
  FrameHeader header = next_header(kNoLog);
  file_->Write(end_, encode_frame(header, crc_, {}), IOOptions{}, nullptr).PermitUncheckedError();
}

void Journal::close_log() {
  const std::lock_guard held(mutex_);
  if (--open_logs_ == 0) file_.reset();
}

IOStatus Journal::create() {
  const std::lock_guard held(mutex_);
  if (file_bytes_ > 0) return IOStatus::OK();
  IOStatus status = fill();
  return status.ok() ? sync_directory() : status;
}

// With all its blocks, so that a sync of what is written has nothing else to do.
IOStatus Journal::fill() {
  std::unique_ptr<FSWritableFile> file;
  IOStatus status = files_->ReopenWritableFile(path_, FileOptions{}, &file, nullptr);
  const std::string zeros(kFileBytes - file_bytes_, '\0');
  if (status.ok()) status = file->Append(zeros, IOOptions{}, nullptr);
  if (status.ok()) status = file->Sync(IOOptions{}, nullptr);
  if (status.ok()) status = file->Close(IOOptions{}, nullptr);
  // Of one that failed something may be there.
  const IOStatus seen = files_->GetFileSize(path_, IOOptions{}, &file_bytes_, nullptr);
  return status.ok() ? seen : status;
}

IOStatus Journal::open_file() {
  if (file_) return IOStatus::OK();
  IOStatus status;
  if (file_bytes_ < kFileBytes) status = fill();
  std::unique_ptr<rocksdb::FSRandomRWFile> file;
  if (status.ok()) status = files_->NewRandomRWFile(path_, FileOptions{}, &file, nullptr);
  if (status.ok()) file_ = std::move(file);
  return status;
}

IOStatus Journal::sync_directory() {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  IOStatus status = files_->NewDirectory(path_.substr(0, path_.rfind('/')), IOOptions{}, &directory, nullptr);
  return status.ok() ? directory->Fsync(IOOptions{}, nullptr) : status;
}

// Whoever made the file may have died before its name was on the disk.
IOStatus Journal::begin_epoch() {
  IOStatus status = sync_directory();
  if (!status.ok()) return status;
  std::uint64_t epoch = 0;
  // What is left of earlier ones must not continue it.
  while (epoch == 0 || epoch == epoch_) {
    if (::getrandom(&epoch, sizeof epoch, 0) != sizeof epoch) return IOStatus::IOError("no random number");
  }
  if (file_bytes_ > kMostBytes) {
    std::unique_ptr<FSWritableFile> file;
    status = files_->ReopenWritableFile(path_, FileOptions{}, &file, nullptr);
    if (status.ok()) status = file->Truncate(kFileBytes, IOOptions{}, nullptr);
    if (status.ok()) status = file->Close(IOOptions{}, nullptr);
    if (!status.ok()) return status;
    file_bytes_ = kFileBytes;
  }
  epoch_ = epoch;
  frames_ = crc_ = 0;
  end_ = 0;
  return IOStatus::OK();
}

}  // namespace fq::store
