// The frames of the journal, read: those that are there, and what lies behind them where one is damaged.

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "store/rocks/journal.h"
#include "store/rocks/journal_frame.h"

namespace fq::store::rocks {
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

// A frame counts where its CRC goes on from that of a frame before it, as that one has it or as it comes out.
// Nothing else is believed of a frame that is not what was written, as its place and its epoch. The engine
// gets one that lies alone between two that count, and whose length leads to the second, all the same:
// records in it have checksums of their own. Its log can only be one from that of the first to that of the
// second.
IOStatus Journal::read_behind(const FrameVisitor& visit) const {
  std::unique_ptr<FSSequentialFile> file;
  if (file_bytes_ == 0 || sync_failed_) return IOStatus::OK();
  IOStatus status = files_->NewSequentialFile(path_, FileOptions{}, &file, nullptr);
  if (!status.ok()) return status;
  Input input(std::move(file));
  std::uint64_t epoch = epoch_;
  std::uint64_t log = logs_.empty() ? kNoLog : logs_.rbegin()->first;
  std::uint32_t place = frames_;
  std::uint32_t last = crc_;  // of the last that counts
  std::set<std::uint32_t> before{last};
  std::uint64_t next = end_;  // where the frame behind the last that counts is
  std::optional<Frame> doubtful;
  for (std::uint64_t at = end_;;) {
    Frame frame;
    FrameHeader& header = frame.header;
    const std::string_view head = input.at(at, sizeof header);
    if (head.size() < sizeof header) return input.status();
    std::memcpy(&header, head.data(), sizeof header);
    if (at == 0) {
      if (head.starts_with(kErased)) return IOStatus::OK();
      epoch = header.epoch;
    }
    // Where the first frame is not what was written, its epoch may not be either. No earlier epoch's second
    // frame goes on from what is there now.
    const bool expected =
        header.place >= place && (header.epoch == epoch || (place == 0 && header.place == 1));
    if (header.bytes <= file_bytes_ && (expected || at == next))
      frame.bytes = input.at(at + sizeof header, header.bytes);
    const bool whole = frame.bytes.size() == header.bytes;
    if (!whole || !expected || !follows_any(before, header, frame.bytes)) {
      before.insert(header.crc);
      if (at == next && whole) {
        before.insert(frame_crc(last, header, frame.bytes));
        doubtful = std::move(frame);
      }
      at = next_sector(at + 1);
      continue;
    }
    if (doubtful && next_sector(next + sizeof header + doubtful->bytes.size()) == at) {
      if (log == header.log) doubtful->header.log = log;
      const bool between = doubtful->header.log >= log && doubtful->header.log <= header.log;
      if (between && doubtful->header.log != kNoLog && !visit(*doubtful)) return IOStatus::OK();
    }
    if (header.log == kNoLog || !visit(frame)) return IOStatus::OK();
    epoch = header.epoch;
    log = header.log;
    place = header.place + 1;
    last = header.crc;
    before = {last};
    doubtful.reset();
    at = next = next_sector(at + sizeof header + frame.bytes.size());
  }
}

bool Journal::goes_on() const {
  const std::lock_guard held(mutex_);
  bool found = false;
  const IOStatus status = read_behind([&](const Frame&) {
    found = true;
    return false;
  });
  return status.ok() && found;
}

}  // namespace fq::store::rocks
