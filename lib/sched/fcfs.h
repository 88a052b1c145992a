// First come, first served: each request in turn gets resources, or blocks those behind it until it can. One
// that could not start on the nodes now up, were they free, is passed over instead.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/matcher.h"
#include "sched/pool.h"
#include "sched/scheduler.h"

namespace fq::sched {

class Fcfs final : public Scheduler {
 public:
  [[nodiscard]] std::string_view name() const override { return "fcfs"; }
  void hello(JobManager& manager, double now) override;
  /// Limited to one request: the head of the queue.
  [[nodiscard]] Ready ready() override;
  [[nodiscard]] std::vector<AllocReply> alloc(const AllocRequest& request) override;
  [[nodiscard]] std::vector<AllocReply> cancel(notation::JobId id) override;
  [[nodiscard]] std::vector<AllocReply> prioritize(
      std::span<const std::pair<notation::JobId, std::uint32_t>> jobs) override;
  /// Not implemented: nothing is planned, so no end matters.
  [[nodiscard]] ExpirationReply expiration(notation::JobId id, double expiration) override;
  [[nodiscard]] std::vector<AllocReply> free(notation::JobId id, const document::ResourceSet& released,
                                             bool final) override;

 private:
  /// An outstanding request and the annotations last sent for it.
  struct Waiting {
    AllocRequest request;
    std::string said;
  };

  /// The reply that is due now; for ANNOTATE the request goes on waiting.
  AllocReply attempt(const AllocRequest& request);
  /// Tries the outstanding requests in their order up to the first that blocks; adds what is new to
  /// `replies`.
  void schedule(std::vector<AllocReply>& replies);

  double now_ = 0;
  Pool* pool_ = nullptr;
  std::optional<Matcher> matcher_;
  std::vector<Waiting> queue_;  ///< by priority, submit time, id
};

}  // namespace fq::sched
