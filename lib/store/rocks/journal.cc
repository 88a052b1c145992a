#include "store/rocks/journal.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/random.h>

#include "store/rocks/journal_frame.h"

namespace fq::store::rocks {
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

void Journal::load(bool salvage) {
  const std::lock_guard held(mutex_);
  file_.reset();
  logs_.clear();
  epoch_ = end_ = file_bytes_ = 0;
  frames_ = crc_ = 0;
  sync_failed_ = false;
  status_ = read_frames();
  if (!salvage || !status_.ok()) return;
  std::vector<Frame> more;
  status_ = read_behind([&](const Frame& frame) {
    more.push_back(frame);
    return true;
  });
  for (const Frame& frame : more) add(frame.header, frame.bytes);
}

IOStatus Journal::status() const {
  const std::lock_guard held(mutex_);
  return status_;
}

void Journal::forget_contents() {
  const std::lock_guard held(mutex_);
  for (auto& [number, log] : logs_) log.bytes.reset();
}

JournalExtent Journal::extent() const {
  const std::lock_guard held(mutex_);
  return logs_.empty() ? JournalExtent{} : JournalExtent{epoch_, frames_};
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
  ++appended_;
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

// Who comes while another syncs waits: that one may fail, and the next sync succeed without what it forgot.
IOStatus Journal::sync() {
  const std::uint64_t failed_before = failed_syncs();
  const std::lock_guard alone(sync_mutex_);
  std::shared_ptr<rocksdb::FSRandomRWFile> file;
  std::uint64_t appended = 0;
  {
    const std::lock_guard held(mutex_);
    if (failed_syncs_ != failed_before) return IOStatus::IOError("a sync of the journal failed");
    if (synced_ == appended_) return IOStatus::OK();
    IOStatus status = open_file();
    if (!status.ok()) return status;
    file = file_;
    appended = appended_;
  }
  IOStatus status = file->Sync(IOOptions{}, nullptr);
  const std::lock_guard held(mutex_);
  if (status.ok()) {
    synced_ = appended;
  } else {
    ++failed_syncs_;
    write_mark();
  }
  return status;
}

std::uint64_t Journal::failed_syncs() const {
  const std::lock_guard held(mutex_);
  return failed_syncs_;
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

}  // namespace fq::store::rocks
