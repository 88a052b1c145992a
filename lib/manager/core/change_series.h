// One change that goes on through many transactions, and keeps what it has decoded: for whoever is alone with
// a store, as the simulator is with the one in memory.

#pragma once

#include <cstddef>

#include "manager/core/change.h"

namespace fq::manager {

class ChangeSeries final : public Change {
 public:
  /// `most_starts`: jobs that one transaction starts, whatever this process has room for. `session` and
  /// `transaction` outlive the series.
  ChangeSeries(const Session& session, store::Transaction& transaction, std::size_t most_starts)
      : Change(session, transaction, most_starts) {}

  using Change::go_on;
};

}  // namespace fq::manager
