// Bytes of a reply that come a piece at a time, so that memory does not grow with them: a document, a log.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace fq::request {

class ByteStream {
 public:
  /// Gives the next piece, valid until the next call; empty at the end.
  using Read = std::function<std::string_view()>;

  ByteStream() = default;
  explicit ByteStream(Read read) : read_(std::move(read)) {}
  /// Bytes that are at hand.
  explicit ByteStream(std::string text) : text_(std::move(text)) {}

  /// The next piece; empty at the end. Valid until the next call. Throws Error{io} where the bytes are not
  /// what the store remembers of them, or cannot be read.
  [[nodiscard]] std::string_view read() {
    if (read_) return read_();
    given_ = std::exchange(text_, {});
    return given_;
  }
  /// All that is left.
  [[nodiscard]] std::string read_all() {
    std::string all;
    for (std::string_view piece; !(piece = read()).empty();) all += piece;
    return all;
  }

 private:
  Read read_;
  std::string text_, given_;
};

}  // namespace fq::request
