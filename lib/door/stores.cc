#include "door/stores.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace fq::door {

using notation::JobId;

Stores::Stores(const manager::Session& session)
    : session_(session), instances_(manager::standing_instances(session)) {}

const manager::Session& Stores::session(std::size_t store) const {
  return store == 0 ? session_ : instance(store).session;
}

std::size_t Stores::of(JobId id) const {
  const std::uint32_t number = manager::instance_number(id);
  for (std::size_t store = 1; number != 0 && store < size(); ++store) {
    if (instance(store).number == number) return store;
  }
  return 0;
}

std::size_t Stores::of_queue(std::string_view queue) const {
  for (std::size_t store = 1; store < size(); ++store) {
    const std::vector<std::string>& queues = instance(store).of.queues;
    if (std::binary_search(queues.begin(), queues.end(), queue)) return store;
  }
  return 0;
}

std::size_t Stores::of_rank(std::uint32_t rank) const {
  for (std::size_t store = 1; store < size(); ++store) {
    if (instance(store).of.ranks.contains(rank)) return store;
  }
  return 0;
}

std::vector<std::vector<JobId>> Stores::split(std::span<const JobId> ids) const {
  std::vector<std::vector<JobId>> parts(size());
  for (const JobId id : ids) parts[of(id)].push_back(id);
  return parts;
}

std::unique_ptr<WideWaiter> Stores::waiter(std::span<const JobId> ids) const {
  const auto parts = split(ids);
  std::vector<std::unique_ptr<meeting::Waiter>> waiters;
  for (std::size_t store = 0; store < size(); ++store) {
    if (ids.empty() || !parts[store].empty())
      waiters.push_back(std::make_unique<meeting::Waiter>(session(store).files(), parts[store]));
  }
  return std::make_unique<WideWaiter>(std::move(waiters));
}

bool Stores::wait_until(double timeout_s, const std::function<bool()>& look) const {
  if (std::isnan(timeout_s)) throw Error{Kind::invalid, "expected a time to wait"};
  const std::unique_ptr<Waiter> waiter = this->waiter({});
  const double deadline = session_.clock->boot_time() + timeout_s;
  while (!look()) {
    const double left = std::isfinite(timeout_s) ? deadline - session_.clock->boot_time() : timeout_s;
    if (left <= 0 || !waiter->wait(left)) return false;
  }
  return true;
}

}  // namespace fq::door
