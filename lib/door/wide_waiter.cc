#include "door/wide_waiter.h"

namespace fq::door {

void WideWaiter::watch_guest_of(std::optional<std::uint32_t> user) {
  for (const auto& waiter : waiters_) waiter->watch_guest(user);
}

std::size_t WideWaiter::files() const {
  std::size_t files = 0;
  for (const auto& waiter : waiters_) files += waiter->files();
  return files;
}

bool WideWaiter::take_in_others() {
  bool any = false;
  for (std::size_t i = 1; i < waiters_.size(); ++i) {
    if (!waiters_[i]->wait(0)) continue;
    any = true;
    jobs_may_have_changed_ |= waiters_[i]->jobs_may_have_changed();
  }
  return any;
}

bool WideWaiter::wait(double timeout_s) {
  meeting::Waiter& first = *waiters_.front();
  input_ready_ = false;
  jobs_may_have_changed_ = false;
  // It makes them watch what they have to watch, too.
  if (take_in_others()) return true;
  std::vector<pollfd> inputs = inputs_;
  for (std::size_t i = 1; i < waiters_.size(); ++i) waiters_[i]->add_descriptors(inputs);
  first.watch_inputs(std::move(inputs));
  const bool woken = first.wait(timeout_s);
  jobs_may_have_changed_ = first.jobs_may_have_changed();
  if (waiters_.size() == 1) {
    input_ready_ = first.input_ready();
  } else {
    std::vector<pollfd> own = inputs_;
    input_ready_ = !own.empty() && ::poll(own.data(), own.size(), 0) > 0;
    take_in_others();
  }
  return woken;
}

}  // namespace fq::door
