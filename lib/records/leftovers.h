// Processes that are left of a job whose shell died: while there are any, the job keeps what it has, and
// whoever comes by looks for them again. `leftovers/` be64(id) has
// `{"boot_id", "since", "kills", "pause", "next", "processes": [[pid, start time], …]}`; `since` and `next`
// are boot times.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::records {

struct Leftovers {
  std::string boot_id;
  double since = 0;                                               ///< when they were found first
  std::uint32_t kills = 0;                                        ///< how often they were killed
  double pause_s = 0;                                             ///< between the last kill and the next
  double next = 0;                                                ///< when they are killed again, or given up
  std::vector<std::pair<std::int32_t, std::uint64_t>> processes;  ///< that lived when it was looked last

  friend bool operator==(const Leftovers&, const Leftovers&) = default;
};

[[nodiscard]] std::optional<Leftovers> find_leftovers(const store::Reader& reader, notation::JobId id);
void write_leftovers(store::Transaction& transaction, notation::JobId id, const Leftovers& leftovers);
void erase_leftovers(store::Transaction& transaction, notation::JobId id);

}  // namespace fq::records
