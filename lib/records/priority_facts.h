// Where a store keeps what priorities are made of: the queues' schemes and weights, qualities of service,
// accounts, the size of the machine. Each is read when it is first asked for; what no scheme weighs is not
// read at all.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "priority/evaluator.h"
#include "records/fair_shares.h"
#include "records/queues.h"

namespace fq::records {

/// What a queue's policy says of priorities.
[[nodiscard]] priority::Parameters priority_parameters(const document::QueuePolicy& policy);
/// Whether one of the queues orders jobs by their number.
[[nodiscard]] bool needs_job_numbers(const std::vector<document::QueueConfig>& queues);

/// Valid while reader and queues are; what is written meanwhile is not seen.
class PriorityFacts final : public priority::Facts {
 public:
  /// `now`: seconds since the epoch.
  PriorityFacts(const store::Reader& reader, Queues& queues, double now)
      : reader_(&reader), queues_(&queues), fair_shares_(reader, now) {}

  [[nodiscard]] const priority::Parameters& parameters(std::string_view queue) override;
  [[nodiscard]] double qos_factor(std::string_view qos) override;
  [[nodiscard]] double fair_share(std::uint32_t userid, std::string_view bank) override;
  [[nodiscard]] const priority::Machine& machine() override;

 private:
  const store::Reader* reader_;
  Queues* queues_;
  std::map<std::string, priority::Parameters, std::less<>> parameters_;
  std::optional<std::map<std::string, double, std::less<>>> qos_;
  FairShares fair_shares_;
  std::optional<priority::Machine> machine_;
};

}  // namespace fq::records
