// parse_fsd over any bytes: it refuses them, or gives a duration that can be written and read again.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/support.h"
#include "notation/fsd.h"

using fq::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto seconds = fq::fuzz::read_or_refuse([&] { return fq::notation::parse_fsd(text); });
  if (!seconds) return 0;
  require(*seconds >= 0);
  require(!fq::notation::format_fsd(*seconds).empty());
  // Below this milliseconds lose bits of their own.
  if (*seconds > 1e-300 && *seconds < 1e300) {
    const double again = fq::notation::parse_fsd(fq::notation::format_fsd_digits(*seconds, 17));
    require(std::abs(again - *seconds) <= 1e-12 * *seconds);
  }
  // A bare number is minutes there, and may be too many of them.
  const auto minutes = fq::fuzz::read_or_refuse([&] { return fq::notation::parse_minutes_or_fsd(text); });
  require(!minutes || *minutes >= *seconds);
  return 0;
}
