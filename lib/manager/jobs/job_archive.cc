#include "manager/jobs/job_archive.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "manager/run/guest_data.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

constexpr std::size_t kLong = 1U << 20U;
// A multiple of three: base64 of such pieces is that of the whole.
constexpr std::size_t kPiece = 3 * 65536;

// A JSON string without its quotes.
void append_inside(std::string& out, std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  out += std::string_view{quoted}.substr(1, quoted.size() - 2);
}

// How many bytes at the end of `text` begin a character that goes on behind it.
std::size_t begun_character(std::string_view text) {
  for (std::size_t n = 1; n <= std::min<std::size_t>(3, text.size()); ++n) {
    const auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > n ? n : 0;
  }
  return 0;
}

void read_pieces(const std::string& path, const std::function<void(std::string_view)>& take) {
  const UniqueFd fd = open_file(path, O_RDONLY | O_NOFOLLOW);
  std::string piece(kPiece, '\0');
  for (std::size_t filled = 0;;) {
    const ssize_t n = ::read(fd.get(), piece.data() + filled, piece.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error("cannot read " + quote(path), errno);
    filled += static_cast<std::size_t>(n);
    if (n > 0 && filled < piece.size()) continue;
    take(std::string_view{piece}.substr(0, filled));
    if (n == 0) return;
    filled = 0;
  }
}

// The same with whole characters in each piece, if it is UTF-8.
void read_characters(const std::string& path, const std::function<void(std::string_view)>& take) {
  std::string rest;
  read_pieces(path, [&](std::string_view piece) {
    rest += piece;
    const std::size_t whole = rest.size() - (piece.empty() ? 0 : begun_character(rest));
    take(std::string_view{rest}.substr(0, whole));
    rest.erase(0, whole);
  });
  if (!rest.empty()) take(rest);
}

bool is_utf8_file(const std::string& path) {
  bool valid = true;
  read_characters(path, [&](std::string_view piece) { valid = valid && is_valid_utf8(piece); });
  return valid;
}

}  // namespace

ArchivedJob read_archived(const store::Reader& reader, notation::JobId id) {
  ArchivedJob job{id, {}, {}};
  const std::string directory = records::key::job_directory(id);
  for (const auto at = reader.scan_prefix(Family::kvs, directory); at->valid(); at->next()) {
    if (!job.documents.empty()) job.documents += ',';
    append_json_string(job.documents, at->key().substr(directory.size()));
    job.documents += ':';
    append_json_bytes(job.documents, at->value());
    if (at->key() == records::key::data(id, records::key::kFilesService))
      job.kept = decode_kept_files(at->value());
  }
  return job;
}

JobArchive::JobArchive(const std::string& path) : path_(path) {
  if (::access(path.c_str(), F_OK) == 0) {
    throw Error{Kind::refused, fmt::format("the file {} exists", quote(path)),
                "an archive is never overwritten: name a new one"};
  }
  fd_ = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
}

JobArchive::~JobArchive() {
  if (!synced_) ::unlink(path_.c_str());
}

void JobArchive::add(const ArchivedJob& job, const meeting::JobFiles& files) {
  begin(job);
  for (const KeptFile& file : job.kept) {
    if (file.lost) continue;
    if (const auto fault = fault_of_file(files, job.id, file)) {
      throw Error{Kind::unavailable,
                  fmt::format("job {}: the file of its guest.{} {}", job.id, file.name, *fault),
                  "fq fsck --repair gives it up"};
    }
    text_ += ',';  // the record of the file comes before it
    append_json_string(text_, "guest." + file.name);
    text_ += ':';
    add_file(data_path(files, job.id, file.name));
  }
  end();
}

void JobArchive::add_documents(const ArchivedJob& job) {
  begin(job);
  end();
}

void JobArchive::begin(const ArchivedJob& job) {
  text_ += fmt::format("{{\"id\":{},\"documents\":{{", job.id.value);
  text_ += job.documents;
  relieve();
}

void JobArchive::end() {
  text_ += "}}\n";
  relieve();
}

void JobArchive::add_file(const std::string& path) {
  if (is_utf8_file(path)) {
    text_ += '"';
    read_characters(path, [&](std::string_view piece) {
      append_inside(text_, piece);
      relieve();
    });
    text_ += '"';
    return;
  }
  text_ += "{\"base64\":\"";
  read_pieces(path, [&](std::string_view piece) {
    text_ += encode_base64(piece);
    relieve();
  });
  text_ += "\"}";
}

void JobArchive::relieve(bool all) {
  if (text_.size() < kLong && !all) return;
  write_all(fd_.get(), text_, path_);
  text_.clear();
}

void JobArchive::sync() {
  relieve(/*all=*/true);
  if (::fsync(fd_.get()) != 0) throw system_error("cannot sync " + quote(path_), errno);
  const std::string directory = std::filesystem::path(path_).parent_path().string();
  sync_directory(directory.empty() ? "." : directory);
  synced_ = true;
}

}  // namespace fq::manager
