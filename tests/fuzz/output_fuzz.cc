// Job output over any bytes. As a log: each line is refused or decoded, and what is decoded can be written
// and decoded again. As what a task writes, cut into reads by its bytes 0: the log gives every byte back.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "document/output.h"

using namespace fq::document;  // NOLINT: one short program

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_log(std::string_view text) {
  OutputDecoder decoder;
  OutputDecoder copy;
  for (const std::string_view line : fq::split(text, '\n')) {
    try {
      const Event event = decode_event(line);
      const OutputDecoder::Item item = decoder.decode(event);
      (void)decoder.finished();
      Event again = event;
      if (const auto* header = std::get_if<OutputHeader>(&item)) again = output_header_event(1, *header);
      if (const auto* redirect = std::get_if<OutputRedirect>(&item))
        again = output_redirect_event(1, *redirect);
      if (const auto* log = std::get_if<OutputLog>(&item)) again = output_log_event(1, *log);
      if (const auto* chunk = std::get_if<OutputChunk>(&item)) {
        if (chunk->data.size() > 4096) continue;
        again = output_data_event(1, *chunk, decoder.header()->streams.at(chunk->stream).encoding);
      }
      require(copy.decode(decode_event(encode_event(again))) == item);
    } catch (const fq::Error& error) {
      require(error.kind() == fq::Kind::invalid);
    }
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
