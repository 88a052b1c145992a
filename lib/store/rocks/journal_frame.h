// One frame of the journal as it lies in the file; what frames are for, store/rocks/journal.h says.

#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace fq::store::rocks {

/// Little-endian, followed by the bytes.
struct FrameHeader {
  static constexpr std::array<char, 4> kMagic{'f', 'q', 'J', '1'};
  std::array<char, 4> magic = kMagic;
  std::uint32_t crc = 0;  ///< of what follows, begun with that of the frame before, 0 for the first
  std::uint64_t epoch = 0;
  std::uint64_t log = 0;
  std::uint32_t place = 0;  ///< in the epoch
  std::uint32_t bytes = 0;
};
static_assert(sizeof(FrameHeader) == 32);

/// The log of the mark, which is none.
inline constexpr std::uint64_t kNoLog = 0;
/// Over the magic of a frame: it is none any more.
inline constexpr std::string_view kErased{"\0\0\0\0", 4};

/// `before` is the CRC of the frame before, 0 for the first.
[[nodiscard]] std::uint32_t frame_crc(std::uint32_t before, const FrameHeader& header,
                                      std::string_view bytes);

/// Whether the frame was written behind one with any of these CRCs.
[[nodiscard]] bool follows_any(const std::set<std::uint32_t>& before, const FrameHeader& header,
                               std::string_view bytes);

/// The frame with these bytes. Sets the header's number of bytes and CRC; `before` as above.
[[nodiscard]] std::string encode_frame(FrameHeader& header, std::uint32_t before, std::string_view bytes);

/// Where the next frame begins when one ends at `end`: on a sector of its own.
[[nodiscard]] std::uint64_t next_sector(std::uint64_t end);

}  // namespace fq::store::rocks
