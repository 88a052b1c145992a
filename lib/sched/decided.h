// What a scheduler has decided about an earlier state, as a scheduler of the present one: of a request that
// was sent to it then, and still asks for the same, it gives the answers of then. A grant of what is not to
// be had any more is dropped without blame; its job waits, and the scheduler is to be asked anew.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/scheduler.h"

namespace fq::sched {

class Decided final : public Scheduler {
 public:
  struct Answered {
    AllocRequest request;
    std::vector<AllocReply> replies;  ///< in their order; none where it waits for an answer
  };
  struct Decisions {
    std::unordered_map<notation::JobId, Answered> answered;  ///< all requests that were sent
    std::string failure;  ///< what ended the scheduler, once it had decided that; empty: nothing
  };

  /// `dropped` is called for each request whose answers do not hold; `missed` for one that was not sent then,
  /// and where a grant is for one that is not made now: time alone may have brought and taken them.
  Decided(Decisions decisions, std::function<void()> dropped, std::function<void()> missed)
      : decisions_(std::move(decisions)), dropped_(std::move(dropped)), missed_(std::move(missed)) {}

  [[nodiscard]] std::string_view name() const override { return "decided"; }
  void hello(JobManager& manager, double now) override;
  /// As many as there were: of what has come since some are passed over, and not all need be looked at.
  [[nodiscard]] Ready ready() override;
  [[nodiscard]] std::vector<AllocReply> alloc(const AllocRequest& request) override;
  [[nodiscard]] std::vector<AllocReply> cancel(notation::JobId id) override;
  [[nodiscard]] std::vector<AllocReply> prioritize(
      std::span<const std::pair<notation::JobId, std::uint32_t>>) override {
    return {};
  }
  [[nodiscard]] ExpirationReply expiration(notation::JobId, double) override { return {}; }
  [[nodiscard]] std::vector<AllocReply> free(notation::JobId id, const document::ResourceSet& released,
                                             bool final) override;
  /// Throws Error{unavailable} with the failure, where there was one.
  [[nodiscard]] std::vector<AllocReply> finish() override;

 private:
  /// Takes what the reply gives, from now on; false where that is not to be had.
  [[nodiscard]] bool take(const AllocRequest& request, AllocReply& reply);

  Decisions decisions_;
  std::function<void()> dropped_, missed_;
  std::size_t not_sent_ = 0;  ///< requests that it was given, and were not sent then
  JobManager* manager_ = nullptr;
  double now_ = 0;
};

}  // namespace fq::sched
