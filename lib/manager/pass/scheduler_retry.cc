#include "manager/pass/scheduler_retry.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// Beside the timers of inventory.cc and period_timer.cc.
constexpr notation::JobId kRetryTimerId{2};

struct Retry {
  double at = 0;     ///< seconds since the epoch; 0: it is being tried
  double delay = 0;  ///< that it was put off for
};
using Retries = std::map<std::string, Retry>;

Retries read_retries(const store::Reader& reader) {
  Retries retries;
  const auto text = reader.get(Family::instance, records::key::kSchedulerRetry);
  if (!text) return retries;
  const nlohmann::json document = parse_json(*text, "scheduler.retry");
  for (const auto& [queue, value] : document.items())
    retries[queue] = {value.at(0).get<double>(), value.at(1).get<double>()};
  return retries;
}

// The timer is that of the earliest.
std::optional<std::string> timer_of(const Retries& retries) {
  double earliest = 0;
  for (const auto& [queue, retry] : retries) {
    if (retry.at > 0 && (earliest == 0 || retry.at < earliest)) earliest = retry.at;
  }
  if (earliest == 0) return std::nullopt;
  return records::key::timer(earliest, kRetryTimerId);
}

void write_retries(store::Transaction& transaction, const Retries& before, const Retries& after) {
  const auto old_timer = timer_of(before), new_timer = timer_of(after);
  if (old_timer != new_timer) {
    if (old_timer) transaction.erase(Family::index, *old_timer);
    if (new_timer) transaction.put(Family::index, *new_timer, "");
  }
  if (after.empty()) return transaction.erase(Family::instance, records::key::kSchedulerRetry);
  nlohmann::json document = nlohmann::json::object();
  for (const auto& [queue, retry] : after) document[queue] = {retry.at, retry.delay};
  transaction.put(Family::instance, records::key::kSchedulerRetry, dump_json(document));
}

}  // namespace

std::optional<std::string> retry_timer(const store::Reader& reader) {
  return timer_of(read_retries(reader));
}

std::optional<double> next_retry(const store::Reader& reader, const std::string& queue) {
  const Retries retries = read_retries(reader);
  const auto found = retries.find(queue);
  return found == retries.end() || found->second.at == 0 ? std::nullopt : std::optional{found->second.at};
}

void plan_retry(Change& change, const std::string& queue) {
  const Retries before = read_retries(change.transaction());
  Retries after = before;
  Retry& retry = after[queue];
  retry.delay = retry.delay == 0 ? kFirstRetry : std::min(2 * retry.delay, kLongestRetry);
  retry.at = change.now() + retry.delay;
  write_retries(change.transaction(), before, after);
}

bool forget_retry(store::Transaction& transaction, const std::string& queue) {
  const Retries before = read_retries(transaction);
  if (!before.contains(queue)) return false;
  Retries after = before;
  after.erase(queue);
  write_retries(transaction, before, after);
  return true;
}

void forget_retries(store::Transaction& transaction) {
  const Retries before = read_retries(transaction);
  if (!before.empty()) write_retries(transaction, before, {});
}

void resume_for_retry(Change& change) {
  const Retries before = read_retries(change.transaction());
  Retries after = before;
  for (auto& [queue, retry] : after) {
    if (retry.at == 0 || retry.at > change.now()) continue;
    retry.at = 0;
    document::QueueState state = records::read_queue_state(change.transaction(), queue);
    if (state.suspended.empty()) continue;
    state.suspended.clear();
    records::write_queue_state(change.transaction(), queue, state);
  }
  write_retries(change.transaction(), before, after);
  change.forget_queues();
}

}  // namespace fq::manager
