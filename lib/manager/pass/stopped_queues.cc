#include "manager/pass/stopped_queues.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "manager/core/clock_text.h"
#include "manager/core/inventory.h"
#include "manager/site/queue_admin.h"
#include "records/store_time.h"

namespace fq::manager {

const std::vector<std::string>& StoppedQueues::reasons(const std::string& queue) {
  const auto [at, is_new] = reasons_.try_emplace(queue);
  if (!is_new) return at->second;
  if (std::string reason = outside_validity(); !reason.empty()) at->second.push_back(std::move(reason));
  const document::QueueConfig* config = queues_.find(queue);
  if (config == nullptr) {
    at->second.push_back(queue.empty() ? std::string{"it is in no queue, and queues are configured"}
                                       : fmt::format("queue {} does not exist", quote(queue)));
    return at->second;
  }
  add(at->second, queue);
  if (!config->parent.empty()) add(at->second, config->parent);
  return at->second;
}

std::string StoppedQueues::outside_validity() const {
  const Validity validity = read_validity(reader_);
  const double now = records::store_time(reader_, SystemClock{}).now;
  if (now < validity.starttime)
    return fmt::format("the nodes may not be used before {}", clock_text(validity.starttime));
  if (validity.expiration != 0 && now >= validity.expiration)
    return fmt::format("the nodes may not be used since {}: the inventory has expired",
                       clock_text(validity.expiration));
  return {};
}

void StoppedQueues::add(std::vector<std::string>& reasons, const std::string& queue) {
  const document::QueueState& state = queues_.state(queue);
  const std::string what = queue.empty() ? "scheduling" : "queue " + quote(queue);
  if (!state.suspended.empty())
    reasons.push_back(fmt::format("{} is suspended: {}", what, suspension_text(state.suspended)));
  if (state.started) return;
  reasons.push_back(state.stop_reason.empty() ? what + " is stopped"
                                              : fmt::format("{} is stopped: {}", what, state.stop_reason));
}

}  // namespace fq::manager
