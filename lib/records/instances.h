// Which queues of a store are instances of their own: stores in STORE/instances/NAME (meeting/standing.h),
// whose configuration, nodes and numbers are here. What they have follows from it.
//
//   {"generation": 3, "last": 2,
//    "instances": [{"queue": "debug", "queues": ["debug", "quick"], "ranks": "2-3", "number": 2}]}

#pragma once

#include <cstdint>
#include <vector>

#include "document/config/config.h"
#include "store/transaction.h"

namespace fq::records {

struct StandingInstance {
  document::QueueInstance of;
  std::uint32_t number = 0;  ///< the generator of its jobs' ids: not 0, and no other had it before
};

struct StandingInstances {
  std::uint64_t generation = 0;        ///< counts what was configured
  std::uint32_t last = 0;              ///< the number that was given last
  std::vector<StandingInstance> list;  ///< by name

  /// Null where there is none of that name.
  [[nodiscard]] const StandingInstance* find(std::string_view queue) const;
};

/// What is recorded; nothing where queues never were instances.
[[nodiscard]] StandingInstances read_instances(const store::Reader& reader);
/// Records these in place of those there are, which keep their numbers. Throws
/// Error{refused} when no numbers are left. A store that never had any is left as it is without them.
void write_instances(store::Transaction& transaction, const std::vector<document::QueueInstance>& wanted);

}  // namespace fq::records
