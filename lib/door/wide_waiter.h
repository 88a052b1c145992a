// Sleeping until jobs of several stores change, as one does for those of one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "door/live.h"
#include "meeting/wake.h"

namespace fq::door {

class WideWaiter : public Waiter {
 public:
  /// One of each store. REQUIRES one at least.
  explicit WideWaiter(std::vector<std::unique_ptr<meeting::Waiter>> waiters) : waiters_(std::move(waiters)) {}

  void watch_guest() override { watch_guest_of({}); }
  /// Wakes when a shell of a job of this user has written to guest files, too, and for no other's.
  void watch_guest_of(std::optional<std::uint32_t> user);
  /// How many files it has made in the stores.
  [[nodiscard]] std::size_t files() const;
  void watch_inputs(std::vector<pollfd> inputs) override { inputs_ = std::move(inputs); }
  [[nodiscard]] bool input_ready() const override { return input_ready_; }
  [[nodiscard]] bool jobs_may_have_changed() const override { return jobs_may_have_changed_; }
  [[nodiscard]] bool wait(double timeout_s) override;

 private:
  /// Whether any but the first has something to tell.
  bool take_in_others();

  std::vector<std::unique_ptr<meeting::Waiter>> waiters_;
  std::vector<pollfd> inputs_;
  bool input_ready_ = false;
  bool jobs_may_have_changed_ = true;
};

}  // namespace fq::door
