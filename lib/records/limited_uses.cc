#include "records/limited_uses.h"

#include <algorithm>

#include "base/text.h"
#include "records/account_record.h"
#include "records/keys.h"

namespace fq::records {

using priority::AccountLimits;
using store::Family;

namespace {

constexpr std::string_view kNormal = "normal";

}  // namespace

const LimitedUses::OfQos& LimitedUses::of_qos(const std::string& name) {
  const auto [at, is_new] = qos_.try_emplace(name);
  if (is_new) {
    const document::QosConfig config = qos_of(*reader_, name);
    at->second = {config.name, priority::decode_limits(config.limits),
                  priority::decode_limits(config.per_association)};
  }
  return at->second;
}

const AccountLimits& LimitedUses::of_queue(const std::string& name) {
  const auto [at, is_new] = of_queues_.try_emplace(name);
  if (is_new) {
    if (const document::QueueConfig* queue = queues_->find(name); queue != nullptr)
      at->second = priority::decode_limits(queue->policy.per_association);
  }
  return at->second;
}

std::vector<LimitedUse> LimitedUses::of(const CountsIn& job) {
  std::vector<LimitedUse> all;
  const std::string who = job.bank.empty() ? "its user" : fmt::format("its user of bank {}", quote(job.bank));
  const OfQos& qos = of_qos(job.qos);
  if (qos.all != AccountLimits{})
    all.push_back({key::use_of_qos(qos.name), "QoS " + quote(qos.name), qos.all, false, false});
  if (qos.per_association != AccountLimits{}) {
    all.push_back({key::use_in_qos(qos.name, job.userid, job.bank),
                   fmt::format("{} in QoS {}", who, quote(qos.name)), qos.per_association, false, true});
  }
  if (const AccountLimits& queue = of_queue(job.queue); queue != AccountLimits{}) {
    all.push_back({key::use_in_queue(job.queue, job.userid, job.bank),
                   job.queue.empty() ? who : fmt::format("{} in queue {}", who, quote(job.queue)), queue,
                   true, true});
  }
  return all;
}

bool LimitedUses::has(std::string_view key) {
  const std::string_view rest = key.substr(std::min(key.size(), key::kUsePrefix.size()));
  if (rest.empty()) return false;
  const std::string name{rest.substr(1, rest.find('\0', 1) - 1)};
  if (rest.front() == key::kUseInQueue) return of_queue(name) != AccountLimits{};
  const OfQos& qos = of_qos(name);
  if (qos.name != name) return false;
  return (rest.front() == key::kUseOfQos ? qos.all : qos.per_association) != AccountLimits{};
}

std::optional<priority::Use> find_use(const store::Reader& reader, std::string_view key) {
  const auto bytes = reader.get(Family::instance, key);
  if (!bytes) return std::nullopt;
  return decode_use(*bytes);
}

void write_use(store::Transaction& transaction, std::string_view key, const priority::Use& use) {
  transaction.put(Family::instance, key, encode(use));
}

std::vector<std::string> use_keys(const store::Reader& reader) {
  std::vector<std::string> keys;
  for (const auto at = reader.scan_prefix(Family::instance, key::kUsePrefix); at->valid(); at->next())
    keys.emplace_back(at->key());
  return keys;
}

std::uint64_t count_active(const store::Reader& reader, const ActiveFilter& filter) {
  const std::string prefix =
      filter.userid ? key::active_jobs(filter.bank, *filter.userid) : std::string{key::kActivePrefix};
  std::uint64_t sum = 0;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    const key::ActiveKind kind = key::active_kind(at->key());
    const std::string_view qos = kind.qos.empty() ? kNormal : kind.qos;
    if (filter.queue && kind.queue != *filter.queue) continue;
    if (filter.qos && qos != *filter.qos) continue;
    sum += parse_u64(at->value()).value_or(0);
  }
  return sum;
}

}  // namespace fq::records
