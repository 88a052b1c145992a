// From when on the wait of a pending job counts, which is also its place in its class: its submission, or, in
// queues that say so (`policy.priority.age-from = "eligible"`), the release of its last dependency. Of one
// that was requeued it counts from then.

#pragma once

#include <set>
#include <string>

#include "document/config/config.h"
#include "job/job.h"
#include "store/transaction.h"

namespace fq::records {

class JobAges {
 public:
  JobAges() = default;
  /// As configured. One look-up.
  explicit JobAges(const store::Reader& reader);
  /// The same for these queues.
  explicit JobAges(const std::vector<document::QueueConfig>& queues);

  /// Seconds since the epoch.
  [[nodiscard]] double waits_since(const job::Job& job) const;
  /// Stores it, and gives pending jobs of queues for which it is another than before their new place.
  /// REQUIRES that what is pending is written back.
  void replace(store::Transaction& transaction) const;

 private:
  std::set<std::string> eligible_;  ///< queues in which a wait counts from there
};

}  // namespace fq::records
