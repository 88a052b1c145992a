#include "records/queues.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/queue_name.h"
#include "records/instances.h"
#include "records/job_age.h"
#include "records/keys.h"

namespace fq::records {

using document::QueueConfig;
using store::Family;

namespace {

/// More names than this make no readable message.
constexpr std::size_t kMaxListed = 12;

std::vector<std::string> names_with(const store::Reader& reader, std::string_view prefix) {
  std::vector<std::string> names;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    names.emplace_back(at->key().substr(prefix.size()));
  }
  return names;
}

// A table that sets nothing has no record.
void put_or_erase(store::Transaction& transaction, std::string_view key, const std::string& text) {
  if (!text.empty()) return transaction.put(Family::instance, key, text);
  if (transaction.get(Family::instance, key)) transaction.erase(Family::instance, key);
}

}  // namespace

Queues::Queues(const store::Reader& reader)
    : reader_(&reader), default_(reader.get(Family::instance, key::kDefaultQueue).value_or("")) {}

const QueueConfig* Queues::find(std::string_view name) {
  if (name.empty() == named()) return nullptr;
  auto known = queues_.find(name);
  if (known == queues_.end()) {
    std::optional<QueueConfig> queue;
    if (const auto text = reader_->get(Family::instance, key::queue_config(name))) {
      queue = document::decode_queue(name, *text);
    } else if (name.empty()) {
      queue.emplace();
    }
    known = queues_.emplace(name, std::move(queue)).first;
  }
  return known->second ? &*known->second : nullptr;
}

const QueueConfig& Queues::require(std::string_view name) {
  if (const QueueConfig* queue = find(name)) return *queue;
  if (!name.empty()) {
    if (const std::string fault = document::queue_name_fault(name); !fault.empty())
      throw error(Kind::not_found, "queue {} does not exist: {}", quote(name), fault);
  }
  if (!named()) {
    throw error(Kind::not_found, "queue {} does not exist: no queues are configured", quote(name));
  }
  std::vector<std::string> known = names();
  for (const StandingInstance& instance : read_instances(*reader_).list)
    known.insert(known.end(), instance.of.queues.begin(), instance.of.queues.end());
  std::string hint = did_you_mean(name, known);
  if (hint.empty() && known.size() <= kMaxListed) hint = "one of " + join(known, ", ");
  if (name.empty())
    throw Error{Kind::not_found, "the queue without a name does not exist: queues are configured", hint};
  throw Error{Kind::not_found, fmt::format("queue {} does not exist", quote(name)), hint};
}

std::vector<std::string> Queues::names() const {
  if (!named()) return {""};
  return names_with(*reader_, key::kQueueConfigPrefix);
}

const document::QueueState& Queues::state(std::string_view name) {
  const auto known = states_.find(name);
  if (known != states_.end()) return known->second;
  return states_.emplace(name, read_queue_state(*reader_, name)).first->second;
}

// The value of `config.scheduling`: a line for each queue, its fields separated by blanks, which no name has.
//
//   line   name group tier [parent]
std::string encode_scheduling(const std::vector<QueueConfig>& queues) {
  std::string out;
  for (const QueueConfig& queue : queues) {
    out += fmt::format("{} {} {}{}{}\n", queue.name, queue.group, queue.tier, queue.parent.empty() ? "" : " ",
                       queue.parent);
  }
  return out;
}

const Queues::Scheduling* Queues::scheduling(std::string_view name) {
  if (!scheduling_) {
    scheduling_.emplace();
    const std::string text =
        named() ? reader_->get(Family::instance, key::kScheduling).value_or("") : " 0 0\n";
    for (const std::string_view line : split(text, '\n')) {
      const std::vector<std::string_view> fields = split(line, ' ');
      if (fields.size() < 3) continue;
      Scheduling queue;
      queue.group = static_cast<std::uint32_t>(parse_u64(fields[1]).value_or(0));
      queue.tier = static_cast<std::uint16_t>(parse_u64(fields[2]).value_or(0));
      if (fields.size() > 3) queue.parent = fields[3];
      scheduling_->emplace(fields[0], std::move(queue));
    }
  }
  const auto found = scheduling_->find(name);
  return found == scheduling_->end() ? nullptr : &found->second;
}

const std::string& Queues::served_by(const std::string& name) {
  const Scheduling* queue = scheduling(name);
  return queue == nullptr || queue->parent.empty() ? name : queue->parent;
}

bool Queues::may_start_jobs(std::string_view name) {
  const Scheduling* queue = scheduling(name);
  if (queue == nullptr) return false;
  if (!std::exchange(all_states_known_, true)) {
    // Queues that no administrator has touched have no record: there is nothing to read of them one by one.
    for (const std::string& touched : names_with(*reader_, key::kQueuePrefix))
      static_cast<void>(state(touched));
  }
  const auto started = [&](std::string_view each) {
    const auto known = states_.find(each);
    return known == states_.end() || (known->second.started && known->second.suspended.empty());
  };
  return started(name) && (queue->parent.empty() || started(queue->parent));
}

std::string read_config_document(const store::Reader& reader) {
  return reader.get(Family::instance, key::kConfig).value_or("{}");
}

document::ExecConfig read_exec_config(const store::Reader& reader) {
  return document::decode_exec(reader.get(Family::instance, key::kExecConfig).value_or(""));
}

document::RetentionConfig read_retention(const store::Reader& reader) {
  return document::decode_retention(reader.get(Family::instance, key::kRetention).value_or(""));
}

document::AccessConfig read_access(const store::Reader& reader) {
  return document::decode_access(reader.get(Family::instance, key::kAccess).value_or(""));
}

std::vector<document::QosConfig> read_qos(const store::Reader& reader) {
  return document::decode_qos(reader.get(Family::instance, key::kQos).value_or(""));
}

document::QosConfig qos_of(const store::Reader& reader, std::string_view name) {
  const std::vector<document::QosConfig> all = read_qos(reader);
  const auto named = [&](std::string_view wanted) {
    return std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == wanted; });
  };
  const auto found = named(name);
  return found == all.end() ? *named("normal") : *found;
}

void write_config(store::Transaction& transaction, const document::Config& config) {
  std::set<std::string, std::less<>> present;
  for (const QueueConfig& queue : config.queues) {
    present.insert(queue.name);
    transaction.put(Family::instance, key::queue_config(queue.name), document::encode_queue(queue));
  }
  for (const std::string& name : names_with(transaction, key::kQueueConfigPrefix)) {
    if (!present.contains(name)) transaction.erase(Family::instance, key::queue_config(name));
  }
  for (const std::string& name : names_with(transaction, key::kQueuePrefix)) {
    if (!present.contains(name)) {
      transaction.erase(Family::instance, key::queue(name));
    } else if (document::QueueState state = read_queue_state(transaction, name); !state.suspended.empty()) {
      // The configuration may have mended what its scheduler failed for.
      state.suspended.clear();
      write_queue_state(transaction, name, state);
    }
  }
  JobAges(config.queues).replace(transaction);
  transaction.put(Family::instance, key::kDefaultQueue, config.default_queue);
  transaction.put(Family::instance, key::kScheduling, encode_scheduling(config.queues));
  transaction.put(Family::instance, key::kConfig, dump_json(config.document));
  put_or_erase(transaction, key::kExecConfig, document::encode_exec(config.exec));
  put_or_erase(transaction, key::kRetention, document::encode_retention(config.retention));
  put_or_erase(transaction, key::kAccess, document::encode_access(config.access));
  put_or_erase(transaction, key::kLogConfig, document::encode_log(config.log));
  put_or_erase(transaction, key::kQos, document::encode_qos(config.qos));
  put_or_erase(transaction, key::kAccounting, config.accounting);
}

}  // namespace fq::records
