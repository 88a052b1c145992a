// What users, banks, queues' users and qualities of service may have in use at the same time, and use in a
// month, while a pass starts jobs. A job that would go beyond that waits, and nothing of it is written: `why`
// asks again.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "document/resource/resource_set.h"
#include "job/job.h"
#include "notation/fluid.h"
#include "priority/account.h"
#include "priority/accounting.h"
#include "records/limited_uses.h"
#include "sched/pool.h"
#include "store/reader.h"

namespace fq::manager {

using notation::JobId;

class UseLimits {
 public:
  /// All outlive this. Without accounts and limits nothing is limited, and nothing else is read. `pool` is
  /// that of the store, where who asks has it; else it is read where it is needed.
  UseLimits(const store::Reader& reader, records::Queues& queues, double now,
            const sched::Pool* pool = nullptr)
      : reader_(&reader), limited_(reader, queues), now_(now), pool_(pool) {}

  /// Whether anything may hold the job back: who asks, and for what bank, queue and quality of service, says
  /// so.
  [[nodiscard]] bool concern(const job::Job& job) { return !holders(job).empty(); }
  /// Why the job may not start now, `user 'ada' in bank 'physics' has 2 running jobs, at most 2 may run`;
  /// nothing: it may. A job that asks for slots alone counts as one node. Those that are asked for later
  /// wait behind one that may not, as far as they need of the same: or small jobs would starve large ones.
  /// But not behind one without a time limit that asks for more than the whole budget of a month: whatever
  /// others leave alone, it must wait for the month to pass.
  [[nodiscard]] std::optional<std::string> reached(const job::Job& job);
  /// Why it is not to be taken at all: it never may start, or is beyond a budget and the configuration says
  /// so.
  [[nodiscard]] std::optional<std::string> refused(const job::Job& job);
  /// The pass gives the job these resources.
  void started(const job::Job& job, const document::ResourceSet& r);
  /// When time alone lets jobs start that `reached` held back for a budget: in a new month, or when less of
  /// this one is left. Infinity where it held none back for one.
  [[nodiscard]] double next_chance() const { return next_chance_; }

 private:
  // A job that was held back, and what it asks for.
  struct Waiter {
    JobId id;
    double asks = 0;
  };
  // Whoever has limits, with what is in use.
  struct Holder {
    std::string name;
    priority::AccountLimits limits;
    std::uint64_t running = 0;
    priority::Amounts held{};
    double spent = 0, claimed = 0;  ///< core-seconds of this month
    bool job_waits = false;         ///< for room under the limit on running jobs
    std::array<std::optional<Waiter>, priority::kResources> waits_for{};  ///< the same of each resource
    std::optional<Waiter> waits_for_budget;
  };
  using Kind = std::tuple<std::uint32_t, std::string, std::string, std::string>;

  // What a whole node has at least, of those that a job may use.
  struct WholeNode {
    std::uint32_t cores = 0, gpus = 0;
  };

  // What the job will hold at least.
  [[nodiscard]] priority::Amounts asked(const job::Job& job);
  [[nodiscard]] const WholeNode& whole_node(const job::Job& job);
  [[nodiscard]] const std::vector<Holder*>& holders(const job::Job& job);
  Holder& holder(const std::string& key, const priority::Use& use, const priority::AccountLimits& limits,
                 std::string name);
  [[nodiscard]] std::optional<std::string> over_budget(Holder& holder, const job::Job& job);
  void note_budget(Holder& holder, const job::Job& job);
  [[nodiscard]] double core_seconds(const job::Job& job);
  [[nodiscard]] const priority::CountedAt& counted_at();
  [[nodiscard]] const priority::Accounting& accounting();

  const store::Reader* reader_;
  records::LimitedUses limited_;
  double now_;
  std::optional<priority::Accounting> accounting_;
  std::optional<priority::CountedAt> counted_at_;
  std::optional<bool> exist_;
  const sched::Pool* pool_;  ///< looked at where a job that is limited asks for whole nodes
  std::unique_ptr<sched::Pool> read_pool_;
  std::map<std::pair<std::string, std::string>, WholeNode> whole_nodes_;  ///< by queue and constraint
  std::map<std::string, Holder> known_;
  std::map<Kind, std::vector<Holder*>> ways_;
  double next_chance_ = std::numeric_limits<double>::infinity();
};

}  // namespace fq::manager
