// decode_eventlog over any bytes: it refuses them, or what it read can be written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/event/eventlog.h"
#include "fuzz/support.h"

using namespace fq::document;

namespace {

std::string encode(const std::vector<Event>& events) {
  std::string log;
  for (const Event& event : events) append_event(log, event);
  return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto events = fq::fuzz::read_or_refuse([&] { return decode_eventlog(text); });
  if (!events) return 0;
  const std::string written = encode(*events);
  fq::fuzz::require(encode(decode_eventlog(written)) == written);
  return 0;
}
