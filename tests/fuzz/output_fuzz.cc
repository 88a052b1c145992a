// Job output over any bytes. As a log: each line is refused or decoded, and what is decoded can be written
// and decoded again. As what a task writes, cut into reads by its bytes 0: the log gives every byte back.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "document/event/output.h"
#include "fuzz/support.h"

using namespace fq::document;  // NOLINT: one short program
using fq::fuzz::read_or_refuse;
using fq::fuzz::require;

namespace {

/// The event that decodes to `item`, or nothing where it takes too long to check.
std::optional<Event> write(const OutputDecoder::Item& item, const OutputDecoder& decoder,
                           const Event& event) {
  if (const auto* header = std::get_if<OutputHeader>(&item)) return output_header_event(1, *header);
  if (const auto* redirect = std::get_if<OutputRedirect>(&item)) return output_redirect_event(1, *redirect);
  if (const auto* log = std::get_if<OutputLog>(&item)) return output_log_event(1, *log);
  if (const auto* chunk = std::get_if<OutputChunk>(&item)) {
    if (chunk->data.size() > 4096) return std::nullopt;
    return output_data_event(1, *chunk, decoder.header()->streams.at(chunk->stream).encoding);
  }
  return event;
}

void read_log(std::string_view text) {
  OutputDecoder decoder;
  OutputDecoder copy;
  for (const std::string_view line : fq::split(text, '\n')) {
    const auto event = read_or_refuse([&] { return decode_event(line); });
    if (!event) continue;
    const auto item = read_or_refuse([&] { return decoder.decode(*event); });
    (void)decoder.finished();
    if (!item) continue;
    const auto again = write(*item, decoder, *event);
    if (again) require(copy.decode(decode_event(encode_event(*again))) == *item);
  }
}

void write_log(std::string_view bytes) {
  std::string log = encode_event(output_header_event(1, OutputHeader::for_tasks(1)));
  OutputEncoder encoder("stdout", {0});
  std::string expected;
  for (const std::string_view piece : fq::split(bytes, '\0')) {
    expected += piece;
    for (const Event& event : encoder.write(1, piece)) append_event(log, event);
    require(encoder.pending() <= 3);
  }
  for (const Event& event : encoder.close(1)) append_event(log, event);
  OutputDecoder decoder;
  std::string back;
  for (const Event& event : decode_eventlog(log)) {
    const OutputDecoder::Item item = decoder.decode(event);
    if (const auto* chunk = std::get_if<OutputChunk>(&item)) back += chunk->data;
  }
  require(back == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  read_log(text);
  write_log(text);
  return 0;
}
