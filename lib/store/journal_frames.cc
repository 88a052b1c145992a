// The frames of the journal, read: those that are there, and what lies behind them where one is damaged.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "store/journal.h"
#include "store/journal_frame.h"

namespace fq::store {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSSequentialFile;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr std::size_t kReadBytes = 64U << 10U;

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

}  // namespace

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
    add(header, bytes);
  }
}

void Journal::add(const FrameHeader& header, std::string_view bytes) {
  Contents& log = logs_[header.log];
  if (!log.bytes) log.bytes = std::make_shared<std::string>();
  log.bytes->append(bytes);
  log.size += bytes.size();
}

// A frame counts where its CRC continues that of the frame before as it is written there, whatever became of
// that one's bytes.
IOStatus Journal::salvage_frames() {
  std::unique_ptr<FSSequentialFile> file;
  if (file_bytes_ == 0 || sync_failed_) return IOStatus::OK();
  IOStatus status = files_->NewSequentialFile(path_, FileOptions{}, &file, nullptr);
  if (!status.ok()) return status;
  Input input(std::move(file));
  std::uint64_t epoch = frames_ > 0 ? epoch_ : 0;
  std::uint32_t before = crc_;
  std::uint32_t place = frames_;
  for (std::uint64_t at = end_;;) {
    FrameHeader header;
    const std::string_view head = input.at(at, sizeof header);
    if (head.size() < sizeof header) return input.status();
    std::memcpy(&header, head.data(), sizeof header);
    const bool erased = at == 0 && head.starts_with(kErased);
    if (erased) return IOStatus::OK();
    if (at == 0) epoch = header.epoch;
    const bool follows = header.magic == FrameHeader::kMagic && header.epoch == epoch &&
                         header.log != kNoLog && header.place >= place && header.bytes <= file_bytes_;
    if (!follows) {
      at = next_sector(at + 1);
      continue;
    }
    const std::string bytes{input.at(at + sizeof header, header.bytes)};
    if (bytes.size() == header.bytes && header.place == place &&
        frame_crc(before, header, bytes) == header.crc) {
      add(header, bytes);
      at = next_sector(at + sizeof header + bytes.size());
    } else {
      at = next_sector(at + 1);
    }
    before = header.crc;
    place = header.place + 1;
  }
}

bool Journal::goes_on() const {
  const std::lock_guard held(mutex_);
  std::unique_ptr<FSSequentialFile> file;
  if (file_bytes_ == 0 || !files_->NewSequentialFile(path_, FileOptions{}, &file, nullptr).ok()) return false;
  Input input(std::move(file));
  std::uint64_t epoch = frames_ > 0 ? epoch_ : 0;
  for (std::uint64_t at = end_;; at = next_sector(at + 1)) {
    FrameHeader header;
    const std::string_view head = input.at(at, sizeof header);
    if (head.size() < sizeof header) return false;
    std::memcpy(&header, head.data(), sizeof header);
    if (at == 0) {
      // Of the first frame the epoch may be what it was.
      if (head.starts_with(kErased)) return false;
      epoch = header.epoch;
    } else if (header.magic == FrameHeader::kMagic && header.epoch == epoch && header.place > frames_ &&
               header.log != kNoLog) {
      return true;
    }
  }
}

}  // namespace fq::store
