#include "manager/check/repair_administration.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/try_to.h"
#include "document/event/eventlog.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/tallies.h"

namespace fq::manager {

using store::Family;
namespace key = records::key;

namespace {

constexpr const char* kDamaged = "its record was damaged";

std::vector<std::string> keys_with(const store::Reader& reader, std::string_view prefix) {
  std::vector<std::string> keys;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next())
    keys.emplace_back(at->key());
  return keys;
}

// Each by itself: one that cannot be read hides no other.
void repair_drains(store::Transaction& transaction, const Report& report) {
  document::Drain instead;
  instead.reason = kDamaged;
  // The sequence may be damaged, too: it is made anew only when the jobs' records were.
  try_to([&] { instead.time = records::read_sequence(transaction).last_time; });
  instead.userid = records::read_store_info(transaction).owner;
  for (const std::string& name : keys_with(transaction, key::kDrainPrefix)) {
    if (name.size() != key::kDrainPrefix.size() + sizeof(std::uint32_t)) {
      report("a record of a node that is drained has no node: removed");
      transaction.erase(Family::instance, name);
      continue;
    }
    try {
      static_cast<void>(records::decode_drain(transaction.get(Family::instance, name).value_or("")));
    } catch (const Error&) {
      const std::uint32_t rank = key::drained_rank(name);
      report(fmt::format("rank {} stays drained: why cannot be read any more", rank));
      records::write_drain(transaction, rank, instead);
    }
  }
}

void repair_queue_states(store::Transaction& transaction, const Report& report) {
  for (const std::string& name : keys_with(transaction, key::kQueuePrefix)) {
    const std::string queue = name.substr(key::kQueuePrefix.size());
    try {
      static_cast<void>(records::read_queue_state(transaction, queue));
    } catch (const Error&) {
      report(fmt::format("{} is stopped and disabled: its state cannot be read",
                         queue.empty() ? "the queue" : "queue " + quote(queue)));
      document::QueueState state;
      state.enabled = state.started = false;
      state.disable_reason = state.stop_reason = kDamaged;
      records::write_queue_state(transaction, queue, state);
    }
  }
}

void repair_log(store::Transaction& transaction, const Report& report) {
  const std::string log = transaction.get(Family::kvs, key::kInstanceEventlog).value_or("");
  std::string kept;
  std::size_t lost = 0;
  for (const std::string_view line : split(log, '\n')) {
    if (line.empty()) continue;
    try {
      static_cast<void>(document::decode_event(line));
      kept.append(line) += '\n';
    } catch (const Error&) {
      ++lost;
    }
  }
  if (lost == 0 && log == kept && records::log_is_noted(transaction, log)) return;
  if (log == kept) {
    report(fmt::format("how long {} is was wrong: noted anew", key::kInstanceEventlog));
  } else {
    report(fmt::format("{} of {} could not be read: removed", counted(lost, "line"), key::kInstanceEventlog));
  }
  records::write_instance_log(transaction, kept);
}

void repair_tallies(store::Transaction& transaction, const Report& report) {
  const std::vector<std::string> damaged = records::damaged_tallies(transaction);
  if (damaged.empty()) return;
  report(fmt::format("{} of what was used, hour by hour, could not be read: removed",
                     counted(damaged.size(), "record")));
  for (const std::string& name : damaged) transaction.erase(Family::instance, name);
}

}  // namespace

void repair_administration(store::Transaction& transaction, const Report& report) {
  repair_drains(transaction, report);
  repair_queue_states(transaction, report);
  repair_log(transaction, report);
  repair_tallies(transaction, report);
  if (!transaction.empty()) transaction.commit();
}

}  // namespace fq::manager
