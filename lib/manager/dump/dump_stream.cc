#include "manager/dump/dump_stream.h"

#include <cerrno>
#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::manager {

namespace {

constexpr std::string_view kMagic = "fq-dump ";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kCheckBytes = 64, kEntriesBytes = 1U << 20U;
// Larger is no value that a store takes.
constexpr std::size_t kMostBlockBytes = std::size_t{1} << 30U;

void append_be32(std::string& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((number >> shift) & 0xFFU);
}

std::size_t be32_at(std::string_view bytes) {
  std::size_t number = 0;
  for (int i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return number;
}

// Each check covers the one before it, and so all that was.
std::string check_of(std::string_view before, std::string_view head, std::string_view bytes) {
  Checksum checksum;
  checksum.add(before);
  checksum.add(head);
  checksum.add(bytes);
  return checksum.hex().substr(0, kCheckBytes);
}

}  // namespace

DumpWriter::DumpWriter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  write_all(fd_, fmt::format("{}{}\n", kMagic, kVersion), name_);
}

void DumpWriter::header(std::string_view json) {
  write(DumpBlock::header, json);
}

void DumpWriter::entry(store::Family family, std::string_view key, std::string_view value) {
  entries_ += static_cast<char>(family);
  append_be32(entries_, key.size());
  entries_ += key;
  append_be32(entries_, value.size());
  entries_ += value;
  ++count_;
  if (entries_.size() >= kEntriesBytes) flush_entries();
}

void DumpWriter::file(std::string_view json) {
  flush_entries();
  ++files_;
  write(DumpBlock::file, json);
}

void DumpWriter::bytes(std::string_view piece) {
  write(DumpBlock::bytes, piece);
}

void DumpWriter::end() {
  flush_entries();
  write(DumpBlock::end, dump_json({{"entries", count_}, {"files", files_}}));
}

void DumpWriter::flush_entries() {
  if (!entries_.empty()) write(DumpBlock::entries, std::exchange(entries_, {}));
}

void DumpWriter::write(DumpBlock kind, std::string_view bytes) {
  std::string head(1, static_cast<char>(kind));
  append_be32(head, bytes.size());
  check_ = check_of(check_, head, bytes);
  write_all(fd_, head, name_);
  write_all(fd_, bytes, name_);
  write_all(fd_, check_, name_);
}

DumpReader::DumpReader(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  const std::string magic = read(kMagic.size());
  if (magic != kMagic) throw error(Kind::invalid, "{} is no dump of a store", quote(name_));
  std::string version;
  for (std::string c = read(1); c != "\n"; c = read(1)) {
    version += c;
    if (c.empty() || version.size() > 8) throw error(Kind::invalid, "{} is no dump of a store", quote(name_));
  }
  if (version != kVersion) {
    throw error(Kind::invalid, "{} is a dump of version {}, made by a newer fq; this fq reads version {}",
                quote(name_), quote(version), kVersion);
  }
}

DumpReader::Block DumpReader::next() {
  block_at_ = at_;
  const std::string head = read(5);
  if (head.size() < 5) throw damaged("it ends before its end");
  const std::size_t size = be32_at(std::string_view{head}.substr(1));
  if (size > kMostBlockBytes) throw damaged("no block is so large");
  Block block{static_cast<DumpBlock>(head.front()), read(size)};
  const std::string check = read(kCheckBytes);
  if (check.size() < kCheckBytes) throw damaged("it ends before its end");
  check_ = check_of(check_, head, block.bytes);
  if (check != check_) throw damaged("this is not what was written");
  return block;
}

void DumpReader::require_end() {
  block_at_ = at_;
  if (!read(1).empty()) throw damaged("something follows its end");
}

std::optional<DumpReader::Entry> DumpReader::take_entry(std::string_view& entries) const {
  if (entries.empty()) return std::nullopt;
  const auto family = static_cast<unsigned char>(entries.front());
  entries.remove_prefix(1);
  const auto take = [&] {
    if (entries.size() < 4) throw damaged("an entry ends early");
    const std::size_t size = be32_at(entries);
    entries.remove_prefix(4);
    if (entries.size() < size) throw damaged("an entry ends early");
    const std::string_view text = entries.substr(0, size);
    entries.remove_prefix(size);
    return text;
  };
  const std::string_view key = take();
  const std::string_view value = take();
  if (family >= store::kFamilyCount) throw damaged("an entry of no family");
  return Entry{static_cast<store::Family>(family), key, value};
}

Error DumpReader::damaged(std::string_view why) const {
  return error(Kind::invalid, "{} is damaged at byte {}: {}", quote(name_), block_at_, why);
}

// So many bytes, or those that are left. Memory follows what is there, not what a damaged size says.
std::string DumpReader::read(std::size_t size) {
  constexpr std::size_t kPiece = 1U << 20U;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t filled = bytes.size();
    bytes.resize(std::min(size, filled + kPiece));
    const ssize_t n = ::read(fd_, bytes.data() + filled, bytes.size() - filled);
    bytes.resize(filled + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error("cannot read " + quote(name_), errno);
    if (n == 0) break;
  }
  at_ += bytes.size();
  return bytes;
}

}  // namespace fq::manager
