// What the schedulers have reserved for jobs that wait, as the last pass left it: an array of JSON objects,
//
//   {"id": integer, "request": string, "start": seconds, "end": seconds or null, "certain": boolean, "R":
//   {…}}
//
// in the order made, with R as in RFC 20. A pass can do without: it makes them anew.

#pragma once

#include <vector>

#include "sched/timeline.h"
#include "store/transaction.h"

namespace fq::manager {

/// None where there are none, or what is stored cannot be read.
[[nodiscard]] std::vector<sched::Reservation> read_reservations(const store::Reader& reader);
/// Replaces them.
void write_reservations(store::Transaction& transaction, const std::vector<sched::Reservation>& reservations);

}  // namespace fq::manager
