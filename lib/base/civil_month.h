// Months of the calendar, in the time zone of a place.

#pragma once

#include <string>

namespace fq {

/// Whether the system knows a time zone of this name, `Europe/Berlin`; `UTC` it always does.
[[nodiscard]] bool is_time_zone(const std::string& name);

/// From `begin` to before `end`, seconds since the epoch.
struct Month {
  double begin = 0, end = 0;

  friend bool operator==(const Month&, const Month&) = default;
};
/// The month that `time` is in. In a zone that the system does not know (any more) it is that of UTC.
[[nodiscard]] Month month_of(double time, const std::string& zone);

}  // namespace fq
