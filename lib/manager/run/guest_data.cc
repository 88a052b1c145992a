#include "manager/run/guest_data.h"

#include <array>
#include <cerrno>
#include <limits>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::manager {

using nlohmann::json;

namespace {
constexpr std::string_view kGuest = "guest.";
}

std::string encode_kept_files(const std::vector<KeptFile>& files) {
  json kept = json::object();
  for (const KeptFile& file : files) {
    json& entry = kept[std::string{kGuest} + file.name];
    entry = {{"size", file.size}, {"blake2b", file.blake2b}};
    if (file.lost) entry["lost"] = true;
  }
  return dump_json(kept);
}

std::vector<KeptFile> decode_kept_files(std::string_view text) {
  const json document = parse_json(text, records::key::kFilesService);
  const JsonAt all = JsonAt{document, std::string{records::key::kFilesService}}.object();
  std::vector<KeptFile> files;
  for (const auto& [key, value] : document.items()) {
    // The name becomes part of a path.
    if (!key.starts_with(kGuest) || key.find('/') != std::string::npos)
      throw error(Kind::invalid, "{}: {} is no guest file", records::key::kFilesService, quote(key));
    const JsonAt entry = all.at(key);
    KeptFile file;
    file.name = key.substr(kGuest.size());
    file.size =
        static_cast<std::uint64_t>(entry.at("size").as_integer(0, std::numeric_limits<std::int64_t>::max()));
    file.blake2b = entry.at("blake2b").as_string();
    if (const auto lost = entry.find("lost")) file.lost = lost->as_boolean();
    files.push_back(std::move(file));
  }
  return files;
}

std::uint64_t bytes_of_kept_files(std::string_view text) {
  std::uint64_t sum = 0;
  try {
    for (const KeptFile& file : decode_kept_files(text)) {
      if (!file.lost) sum += file.size;
    }
  } catch (const Error&) {
    return 0;
  }
  return sum;
}

std::uint64_t bytes_of(const records::JobDocuments& documents) {
  return documents.bytes + (documents.files ? bytes_of_kept_files(*documents.files) : 0);
}

std::vector<KeptFile> read_kept_files(const store::Reader& reader, notation::JobId id) {
  const auto text = reader.get(store::Family::kvs, records::key::data(id, records::key::kFilesService));
  return text ? decode_kept_files(*text) : std::vector<KeptFile>{};
}

std::optional<KeptFile> find_kept_file(const store::Reader& reader, notation::JobId id,
                                       std::string_view name) {
  for (KeptFile& file : read_kept_files(reader, id)) {
    if (file.name == name) return std::move(file);
  }
  return std::nullopt;
}

std::string data_path(const meeting::JobFiles& files, notation::JobId id, std::string_view name) {
  return fmt::format("{}/{}{}", files.data(id), kGuest, name);
}

struct Checksum::State {
  crypto_generichash_state hash;
};

Checksum::Checksum() : state_(std::make_unique<State>()) {
  ::crypto_generichash_init(&state_->hash, nullptr, 0, crypto_generichash_BYTES);
}
Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::add(std::string_view bytes) {
  ::crypto_generichash_update(&state_->hash, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
}

std::string Checksum::hex() {
  std::array<unsigned char, crypto_generichash_BYTES> hash{};
  ::crypto_generichash_final(&state_->hash, hash.data(), hash.size());
  std::string text;
  for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

std::string checksum_of_file(const std::string& path) {
  const UniqueFd fd = open_file(path, O_RDONLY | O_NOFOLLOW);
  Checksum checksum;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error("cannot read " + quote(path), errno);
    if (n == 0) return checksum.hex();
    checksum.add({buffer.data(), static_cast<std::size_t>(n)});
  }
}

std::optional<std::string> fault_of_size(const meeting::JobFiles& files, notation::JobId id,
                                         const KeptFile& file) {
  struct stat info {};
  if (::lstat(data_path(files, id, file.name).c_str(), &info) != 0)
    return errno == ENOENT ? "is missing" : "cannot be read";
  if (!S_ISREG(info.st_mode)) return "is not a file";
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size == file.size) return std::nullopt;
  return fmt::format("has {}, not {}", counted(size, "byte"), file.size);
}

std::optional<std::string> fault_of_file(const meeting::JobFiles& files, notation::JobId id,
                                         const KeptFile& file) {
  if (auto fault = fault_of_size(files, id, file)) return fault;
  try {
    if (checksum_of_file(data_path(files, id, file.name)) == file.blake2b) return std::nullopt;
  } catch (const Error& failure) {
    return failure.kind() == Kind::not_found ? "is missing" : "cannot be read";
  }
  return "was altered";
}

}  // namespace fq::manager
