#include "manager/look/document_reader.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "job/actions.h"
#include "manager/run/guest.h"
#include "meeting/own_guest.h"
#include "records/job_table.h"
#include "records/keys.h"

namespace fq::manager {

using notation::JobId;
using store::Family;

namespace {

constexpr std::size_t kBlock = 256U << 10U;

}  // namespace

DocumentReader::DocumentReader(UniqueFd fd, std::string path) : fd_(std::move(fd)), what_(quote(path)) {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) throw system_error("cannot look at " + what_, errno);
  size_ = static_cast<std::uint64_t>(info.st_size);
}

DocumentReader::DocumentReader(const meeting::JobFiles& files, JobId id, KeptFile recorded)
    : what_(fmt::format("the file {} of job {}", quote(data_path(files, id, recorded.name)), id)),
      size_(recorded.size),
      recorded_(std::move(recorded)) {
  fd_ = meeting::open_regular(data_path(files, id, recorded_->name));
  if (fd_.valid()) return;
  if (errno == ENOENT || errno == ENOTDIR) throw altered("is missing");
  if (errno == ELOOP) throw altered("is not a file");
  if (errno == 0) throw altered("is not a file");
  throw system_error("cannot open " + what_, errno);
}

Error DocumentReader::altered(std::string_view how) const {
  return error(Kind::io, "{} {}", what_, how);
}

std::string_view DocumentReader::read_block(std::uint64_t offset) {
  text_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, size_ - offset)));
  ssize_t n = 0;
  do {
    n = ::pread(fd_.get(), text_.data(), text_.size(), static_cast<off_t>(offset));
  } while (n < 0 && errno == EINTR);
  if (n < 0) throw system_error("cannot read " + what_, errno);
  return std::string_view{text_}.substr(0, static_cast<std::size_t>(n));
}

void DocumentReader::verify() {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) throw system_error("cannot look at " + what_, errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size != size_) throw altered(fmt::format("has {}, not {}", counted(size, "byte"), size_));
  Checksum checksum;
  for (std::uint64_t at = 0; at < size_;) {
    const std::string_view block = read_block(at);
    if (block.empty()) throw altered(fmt::format("has {}, not {}", counted(at, "byte"), size_));
    checksum.add(block);
    at += block.size();
  }
  if (checksum.hex() != recorded_->blake2b) throw altered("was altered");
}

std::string_view DocumentReader::read() {
  const bool first = !std::exchange(given_, true);
  if (!fd_.valid()) return first ? std::string_view{text_} : std::string_view{};
  if (recorded_ && first) verify();
  if (at_ == size_) return {};
  const std::string_view block = read_block(at_);
  if (!recorded_) {
    at_ = block.empty() ? size_ : at_ + block.size();
    return block;
  }
  if (block.empty()) throw altered(fmt::format("has {}, not {}", counted(at_, "byte"), size_));
  checksum_.add(block);
  at_ += block.size();
  if (at_ == size_ && checksum_.hex() != recorded_->blake2b) throw altered("was altered");
  return block;
}

std::string DocumentReader::read_all() {
  std::string all;
  for (std::string_view piece; !(piece = read()).empty();) all += piece;
  return all;
}

std::optional<DocumentReader> open_guest(const store::Reader& reader, const meeting::JobFiles& files,
                                         JobId id, std::string_view name) {
  if (auto value = reader.get(Family::kvs, records::key::guest(id, name))) {
    return DocumentReader(*std::move(value));
  }
  if (auto recorded = find_kept_file(reader, id, name)) {
    return DocumentReader(files, id, *std::move(recorded));
  }
  const auto job = records::find_job(reader, id);
  if (!job || !job::wants_shell(*job)) return std::nullopt;
  if (!exists(files.guest(id))) {
    throw error(Kind::io, "the guest directory {} of job {} is missing", quote(files.guest(id)), id);
  }
  LiveGuest live = open_live_guest(files, id, name);
  if (!live.fd.valid()) return std::nullopt;
  return DocumentReader(std::move(live.fd), std::move(live.path));
}

request::ByteStream stream_of(DocumentReader document) {
  return request::ByteStream(
      [reader = std::make_shared<DocumentReader>(std::move(document))] { return reader->read(); });
}

}  // namespace fq::manager
