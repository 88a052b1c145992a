// parse_fsd over any bytes: it refuses them, or gives a duration that can be written and read again.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "notation/fsd.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const double seconds = fq::notation::parse_fsd(text);
    require(seconds >= 0);
    require(!fq::notation::format_fsd(seconds).empty());
    // Below this milliseconds lose bits of their own.
    if (seconds > 1e-300 && seconds < 1e300) {
      const double again = fq::notation::parse_fsd(fq::notation::format_fsd_digits(seconds, 17));
      require(std::abs(again - seconds) <= 1e-12 * seconds);
    }
    require(fq::notation::parse_minutes_or_fsd(text) >= seconds);
  } catch (const fq::Error& error) {
    require(error.kind() == fq::Kind::invalid);
  }
  return 0;
}
