#include "priority/scheme.h"

#include <algorithm>
#include <limits>

namespace fq::priority {

std::uint32_t from_urgency(std::uint8_t urgency) {
  constexpr std::uint8_t kHold = 0;
  constexpr std::uint8_t kExpedite = 31;
  constexpr std::uint32_t kHighest = std::numeric_limits<std::uint32_t>::max();
  if (urgency == kHold) return 0;
  if (urgency >= kExpedite) return kHighest;
  return std::clamp<std::uint32_t>(urgency, 1, kHighest - 1);
}

}  // namespace fq::priority
