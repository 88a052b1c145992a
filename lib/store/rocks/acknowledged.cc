#include "store/rocks/acknowledged.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/unique_fd.h"

namespace fq::store::rocks {
namespace {

static_assert(std::endian::native == std::endian::little, "it is written as it lies in memory");

struct Image {
  static constexpr std::array<char, 4> kMagic{'f', 'q', 'A', '1'};
  std::array<char, 4> magic = kMagic;
  std::uint32_t crc = 0;
  std::uint64_t transaction = 0;
  std::uint64_t manifest = 0;
  std::uint64_t manifest_bytes = 0;
  std::uint32_t manifest_crc = 0;
  std::uint32_t frames = 0;
  std::uint64_t epoch = 0;
};
static_assert(sizeof(Image) == 48);

std::uint32_t crc_of(const Image& image) {
  std::array<char, sizeof image> bytes{};
  std::memcpy(bytes.data(), &image, sizeof image);
  constexpr std::size_t kUnchecked = offsetof(Image, transaction);
  return rocks::crc_of(0, std::string_view(bytes.data(), bytes.size()).substr(kUnchecked));
}

std::string path_in(const std::string& directory) {
  return directory + "/" + kAcknowledgedName;
}

}  // namespace

std::uint32_t crc_of(std::uint32_t before, std::string_view bytes) {
  if (bytes.empty()) return before;  // crc32_z would begin anew for no data at no address
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::optional<Acknowledged> read_acknowledged(const std::string& directory) noexcept {
  const UniqueFd file(::open(path_in(directory).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  Image image;
  if (!file.valid() || ::pread(file.get(), &image, sizeof image, 0) != static_cast<ssize_t>(sizeof image) ||
      image.magic != Image::kMagic || image.crc != crc_of(image)) {
    return std::nullopt;
  }
  return Acknowledged{image.transaction,
                      {image.manifest, image.manifest_bytes, image.manifest_crc},
                      {image.epoch, image.frames}};
}

void write_acknowledged(const std::string& directory, const Acknowledged& acknowledged) noexcept {
  Image image;
  image.transaction = acknowledged.transaction;
  image.manifest = acknowledged.manifest.number;
  image.manifest_bytes = acknowledged.manifest.bytes;
  image.manifest_crc = acknowledged.manifest.crc;
  image.epoch = acknowledged.journal.epoch;
  image.frames = acknowledged.journal.frames;
  image.crc = crc_of(image);
  const UniqueFd file(
      ::open(path_in(directory).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file.valid()) return;
  // Of one that came to half the CRC says so.
  [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), &image, sizeof image, 0);
}

}  // namespace fq::store::rocks
