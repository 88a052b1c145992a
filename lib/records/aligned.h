// Stored bytes where FlatBuffers may read them: its accessors need the alignment of their largest field, and
// the engine hands out values wherever they lie in its blocks.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace fq::records {

/// `bytes` itself where it is aligned to 8, else a copy; `bytes` must outlive this.
class Aligned {
 public:
  explicit Aligned(std::string_view bytes) : bytes_(bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(std::uint64_t) == 0) return;
    copy_.resize(bytes.size() / sizeof(std::uint64_t) + 1);
    std::memcpy(copy_.data(), bytes.data(), bytes.size());
    bytes_ = {reinterpret_cast<const char*>(copy_.data()), bytes.size()};
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;

  [[nodiscard]] const std::uint8_t* data() const {
    return reinterpret_cast<const std::uint8_t*>(bytes_.data());
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::vector<std::uint64_t> copy_;
};

}  // namespace fq::records
