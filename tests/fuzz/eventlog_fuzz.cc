// decode_eventlog over any bytes: it refuses them, or what it read can be written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "document/eventlog.h"

using namespace fq::document;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string encode(const std::vector<Event>& events) {
  std::string log;
  for (const Event& event : events) append_event(log, event);
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const std::string written = encode(decode_eventlog(text));
    require(encode(decode_eventlog(written)) == written);
  } catch (const fq::Error& error) {
    require(error.kind() == fq::Kind::invalid);
  }
  return 0;
}
