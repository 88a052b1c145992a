#include "store/rocks/journal_frame.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include <zlib.h>

namespace fq::store::rocks {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

constexpr std::uint64_t kSectorBytes = 512;
/// Bytes before those that the CRC is of.
constexpr std::size_t kUnchecked = offsetof(FrameHeader, epoch);

}  // namespace

std::uint32_t frame_crc(std::uint32_t before, const FrameHeader& header, std::string_view bytes) {
  std::array<char, sizeof header> head{};
  std::memcpy(head.data(), &header, sizeof header);
  const auto add = [](std::uint32_t crc, const char* data, std::size_t size) {
    if (size == 0) return crc;  // crc32_z would begin anew for no data at no address
    return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(data), size));
  };
  return add(add(before, head.data() + kUnchecked, head.size() - kUnchecked), bytes.data(), bytes.size());
}

// What a CRC that is begun with another one comes to needs the data only once.
bool follows_any(const std::set<std::uint32_t>& before, const FrameHeader& header, std::string_view bytes) {
  const std::uint32_t alone = frame_crc(0, header, bytes);
  const auto size = static_cast<z_off_t>(sizeof header - kUnchecked + bytes.size());
  const auto shift = ::crc32_combine_gen(size);
  return std::any_of(before.begin(), before.end(),
                     [&](std::uint32_t crc) { return ::crc32_combine_op(crc, alone, shift) == header.crc; });
}

std::string encode_frame(FrameHeader& header, std::uint32_t before, std::string_view bytes) {
  header.bytes = static_cast<std::uint32_t>(bytes.size());
  header.crc = frame_crc(before, header, bytes);
  std::string frame;
  frame.reserve(sizeof header + bytes.size());
  frame.append(reinterpret_cast<const char*>(&header), sizeof header);
  frame.append(bytes);
  return frame;
}

std::uint64_t next_sector(std::uint64_t end) {
  return (end + kSectorBytes - 1) / kSectorBytes * kSectorBytes;
}

}  // namespace fq::store::rocks
