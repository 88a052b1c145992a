// The store's time: seconds since the epoch that never go backwards, whatever is done to the system's clock.
//
// Within a boot it goes on with the boot time from an anchor, the difference of the two at some moment. A
// clock that was set back, or was wrong and is right again, so freezes nothing: what was to come in two
// seconds comes in two seconds. Where the clock is ahead, having been set forward, the store's time follows
// it and the anchor is taken anew; so it is after a start of the machine, when boot time begins anew.
//
//   clock    offset SP boot-id    offset: store time less boot time, decimal microseconds

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "store/transaction.h"

namespace fq::records {

/// How the store's time and the system's clocks stand to each other at one moment.
struct StoreTime {
  double now = 0;           ///< the store's time, seconds since the epoch
  double boot_time = 0;     ///< of the machine, at that moment
  std::int64_t offset = 0;  ///< of the anchor: microseconds from boot time to store time
  double lead = 0;  ///< seconds by which it is ahead of a clock that was set back; 0 for one that was not
  std::optional<std::string> new_anchor;  ///< the record to be written, where there is none that holds

  /// What to add to a later boot time, seconds, to have the store's time then.
  [[nodiscard]] double ahead_of_boot() const { return now - boot_time; }
  /// The boot time at which the store's time will be `time`.
  [[nodiscard]] double boot_time_of(double time) const;
};

/// What time it is in the store that `reader` reads.
[[nodiscard]] StoreTime store_time(const store::Reader& reader, const Clock& clock);

/// Writes a new anchor, where there is one.
void write_anchor(store::Transaction& transaction, const StoreTime& time);

}  // namespace fq::records
