#include <map>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "document/event/eventlog.h"
#include "document/resource/core_locality.h"
#include "document/resource/resource_set.h"
#include "manager/accounts/check.h"
#include "manager/check/check_derived.h"
#include "manager/core/inventory.h"
#include "manager/pass/stored_pool.h"
#include "manager/site/configure.h"
#include "records/advance_reservations.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/instances.h"
#include "records/queues.h"
#include "records/tallies.h"

namespace fq::manager {

using store::Family;
namespace key = records::key;

namespace {

using Entries = std::map<std::string, std::string>;

// Of queues there are few.
Entries entries_of(const store::Reader& reader, std::string_view prefix) {
  Entries entries;
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    entries.emplace(at->key().substr(prefix.size()), at->value());
  }
  return entries;
}

// What is not wanted is there for jobs alone that hold it.
void check_leaving(const store::Reader& reader, const Report& report) {
  const auto text = reader.get(Family::instance, key::kWanted);
  if (!text) return;
  const auto pool = load_pool(reader);
  const document::ResourceSet extra = pool->inventory().subtract(document::ResourceSet::parse(*text));
  if (extra.empty()) report("nodes are marked to leave, and none is left");
  if (!pool->allocated().contains(extra))
    report(fmt::format("{} is to leave, and no job holds it", extra.subtract(pool->allocated()).summary()));
}

// Each queue that is an instance has a record, and a number that no other has.
void check_instances(const store::Reader& reader, const document::Config& config, const Report& report) {
  const records::StandingInstances known = records::read_instances(reader);
  std::vector<document::QueueInstance> recorded;
  std::set<std::uint32_t> numbers;
  for (const records::StandingInstance& each : known.list) {
    recorded.push_back(each.of);
    if (each.number > known.last || !numbers.insert(each.number).second)
      report(fmt::format("the instance that is queue {} has the number of another", quote(each.of.queue)));
  }
  if (recorded != config.instances) report("the record of instances is not what the configuration gives");
}

// What was compiled is what the document gives for these nodes.
void check_configuration(const store::Reader& reader, const Report& report) {
  Entries stored = entries_of(reader, key::kQueueConfigPrefix);
  if (reader.get(Family::instance, key::kConfig)) {
    const document::ResourceSet excluded = read_excluded(reader);
    const auto all = document::ResourceSet::parse(records::read_inventory(reader)).unite(excluded);
    const document::Config config =
        compile_config(parse_json(records::read_config_document(reader), "config"), all);
    for (const document::QueueConfig& queue : config.queues) {
      const auto found = stored.extract(queue.name);
      if (found.empty() || found.mapped() != document::encode_queue(queue))
        report(fmt::format("queue {}: its record is not what the configuration gives", quote(queue.name)));
    }
    if (reader.get(Family::instance, key::kScheduling) != records::encode_scheduling(config.queues))
      report("the record of what queues are scheduled is not what the configuration gives");
    if (records::Queues(reader).default_queue() != config.default_queue)
      report(fmt::format("the default queue is not {}", quote(config.default_queue)));
    if (config.inventory.encode() != all.encode())
      report("the inventory has not the properties of the queues");
    check_instances(reader, config, report);
    if (config.excluded != excluded.ranks()) report("other nodes are excluded than the configuration says");
    if (records::read_exec_config(reader) != config.exec ||
        records::read_retention(reader) != config.retention)
      report("the records of exec and jobs are not what the configuration gives");
    if (records::read_access(reader) != config.access)
      report("the record of access is not what the configuration gives");
    if (reader.get(Family::instance, key::kLogConfig).value_or("") != document::encode_log(config.log))
      report("the record of log is not what the configuration gives");
    if (records::read_qos(reader) != config.qos)
      report("the record of qualities of service is not what the configuration gives");
    if (reader.get(Family::instance, key::kAccounting).value_or("") != config.accounting)
      report("the record of accounting is not what the configuration gives");
  }
  for (const auto& [name, text] : stored)
    report(fmt::format("the record of queue {} is left over", quote(name)));
}

}  // namespace

void check_administration(const store::Reader& reader, const Expected& expected, const Report& report) {
  check_part(report, "the store record", [&] { static_cast<void>(records::read_store_info(reader)); });
  check_part(report, "the sequence", [&] {
    if (records::read_sequence(reader).last_id < expected.last_id)
      report(fmt::format("job {} has an id after the sequence", expected.last_id));
  });
  check_part(report, "drained nodes", [&] { static_cast<void>(records::read_drains(reader)); });
  for (const auto& [name, text] : entries_of(reader, key::kQueuePrefix)) {
    check_part(report, "queue " + quote(name),
               [&] { static_cast<void>(records::read_queue_state(reader, name)); });
  }
  check_part(report, key::kInstanceEventlog, [&] {
    const std::string log = reader.get(Family::kvs, key::kInstanceEventlog).value_or("");
    static_cast<void>(document::decode_eventlog(log));
    if (!records::log_is_noted(reader, log))
      report(fmt::format("{} has {} bytes, and something else is noted", key::kInstanceEventlog, log.size()));
  });
  if (const std::size_t damaged = records::damaged_tallies(reader).size(); damaged > 0)
    report(fmt::format("{} of what was used, hour by hour, cannot be read", counted(damaged, "record")));
  check_part(report, "reservations", [&] {
    for (std::string& fault : records::check_advance_reservations(reader)) report(std::move(fault));
  });
  check_part(report, "the inventory", [&] {
    const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
    document::CoreLocality::parse(inventory.scheduling).check(inventory);
  });
  check_part(report, "nodes that leave", [&] { check_leaving(reader, report); });
  check_part(report, "accounts", [&] { check_accounts(reader, report); });
  check_part(report, "the configuration", [&] { check_configuration(reader, report); });
}

}  // namespace fq::manager
