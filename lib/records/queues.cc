#include "records/queues.h"

#include <set>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
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
  if (!named()) {
    throw error(Kind::not_found, "queue {} does not exist: no queues are configured", quote(name));
  }
  const std::vector<std::string> known = names();
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

const QueueState& Queues::state(std::string_view name) {
  const auto known = states_.find(name);
  if (known != states_.end()) return known->second;
  return states_.emplace(name, read_queue_state(*reader_, name)).first->second;
}

bool Queues::schedules(std::string_view name) {
  const QueueConfig* queue = find(name);
  if (queue == nullptr || !state(name).started) return false;
  return queue->parent.empty() || state(queue->parent).started;
}

std::string read_config_document(const store::Reader& reader) {
  return reader.get(Family::instance, key::kConfig).value_or("{}");
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
    if (!present.contains(name)) transaction.erase(Family::instance, key::queue(name));
  }
  transaction.put(Family::instance, key::kDefaultQueue, config.default_queue);
  transaction.put(Family::instance, key::kConfig, dump_json(config.document));
  const std::string inventory = config.inventory.encode();
  if (inventory != read_inventory(transaction)) transaction.put(Family::instance, key::kInventory, inventory);
}

}  // namespace fq::records
