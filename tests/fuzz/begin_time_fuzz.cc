// Begin times of any bytes: they are refused, or are a moment that documents can hold.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/clock.h"
#include "base/error.h"
#include "document/jobspec/begin_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const double moment = fq::document::parse_begin_time(text, 1552593348);
    if (fq::document::parse_epoch(fq::format_timestamp(moment)) != moment) std::abort();
  } catch (const fq::Error& error) {
    if (error.kind() != fq::Kind::invalid) std::abort();
  }
  return 0;
}
