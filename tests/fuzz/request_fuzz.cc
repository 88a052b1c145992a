// Requests over any bytes, `NAME`, a line feed and the text (door/frame.h, Q): they are refused, or what was
// read can be written, and read again as the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/support.h"
#include "request/codec.h"

using fq::fuzz::require;
using fq::request::RequestKind;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto place = fq::request::find_kind(text.substr(0, line));
  if (!place) return 0;
  const RequestKind& kind = fq::request::kind_at(*place);
  const auto request = fq::fuzz::read_or_refuse([&] { return kind.decode_request(text.substr(line + 1)); });
  if (!request) return 0;
  const std::string once = kind.encode_request(request->get());
  require(kind.encode_request(kind.decode_request(once).get()) == once);
  return 0;
}
