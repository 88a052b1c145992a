#include "manager/site/instances.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/queue_instances.h"
#include "manager/core/change.h"
#include "manager/core/inventory.h"
#include "manager/core/log_act.h"
#include "manager/engine/store_check.h"
#include "manager/site/configure.h"
#include "manager/site/create_store.h"
#include "meeting/standing.h"
#include "records/instance.h"
#include "records/instances.h"
#include "records/queues.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

// What the store says of its instances.
struct Recorded {
  records::StandingInstances instances;
  nlohmann::json document;
  document::ResourceSet nodes;
  records::StoreInfo info;
};

records::StandingInstances read_recorded(const Session& session) {
  records::StandingInstances known;
  query(session, [&](const store::Reader& reader) { known = records::read_instances(reader); });
  return known;
}

bool is_made(const std::string& store, const records::StandingInstance& instance, std::uint64_t generation) {
  const std::string path = meeting::standing_store(store, instance.of.queue);
  return meeting::read_standing(path) == generation && store_exists(path);
}

bool are_made(const std::string& store, const records::StandingInstances& known) {
  return std::all_of(known.list.begin(), known.list.end(), [&](const records::StandingInstance& each) {
    return is_made(store, each, known.generation);
  });
}

// As the reason for which a queue takes no jobs.
constexpr const char* kClosed = "it is going to be no instance any more";

// What was closed and stays is open again; what an administrator disabled is not.
void open_queues(store::Transaction& transaction, const std::vector<std::string>& queues) {
  for (const std::string& queue : queues) {
    document::QueueState state = records::read_queue_state(transaction, queue);
    if (state.enabled || state.disable_reason != kClosed) continue;
    state.enabled = true;
    state.disable_reason.clear();
    records::write_queue_state(transaction, queue, state);
  }
}

void configure(const Session& session, const std::vector<std::string>& queues, const nlohmann::json& document,
               const document::ResourceSet& nodes) {
  transact(session, [&](Change& change) {
    open_queues(change.transaction(), queues);
    static_cast<void>(put_config(
        change, nodes, [&](const document::ResourceSet& of) { return compile_config(document, of); }));
    log_act(change, "config-load", {{"config", document}});
  });
}

// The ids of its jobs say which instance they are of.
void require_number(const Session& session, std::uint32_t number) {
  std::uint32_t own = 0;
  query(session, [&](const store::Reader& reader) { own = records::read_store_info(reader).generator; });
  if (own == number) return;
  throw Error{Kind::unavailable,
              fmt::format("the store {} is that of another instance", quote(session.store)), "move it away"};
}

void make_instance(const Session& session, const Recorded& recorded,
                   const records::StandingInstance& instance) {
  const Session own = instance_session(session, instance.of.queue);
  const nlohmann::json document = document::instance_document(recorded.document, instance.of);
  const document::ResourceSet nodes = document::instance_nodes(recorded.nodes, instance.of);
  if (store_exists(own.store)) {
    require_number(own, instance.number);
    configure(own, instance.of.queues, document, nodes);
  } else {
    records::StoreInfo info = recorded.info;
    info.generator = instance.number;
    NewStore wanted{own.store, session.command};
    wanted.enclosure = meeting::read_enclosure(session.store);
    create_store_of(wanted, info, nodes, compile_config(document, nodes), *session.clock);
  }
  fault_point("instance-made");
  meeting::write_standing(own.store, instance.of.queue, recorded.instances.generation);
}

void remove_instance(const Session& session) {
  if (!exists(store::lock_path(session.store))) return;  // whatever it is, it is no store
  const auto lock = store::StoreLock::acquire(session.store, session.lock_timeout_s, session.command,
                                              session.notices.waiting);
  bool any = false;
  if (store_exists(session.store))
    query(session, [&](const store::Reader& reader) { any = has_jobs(reader); });
  if (any) return;
  fault_point("instance-removed");
  remove_tree(session.store);
}

}  // namespace

std::uint32_t instance_number(notation::JobId id) {
  return records::generator_of(id);
}

Session instance_session(const Session& session, const std::string& queue) {
  Session own = session;
  own.store = meeting::standing_store(session.store, queue);
  return own;
}

bool has_jobs(const store::Reader& reader) {
  return reader.scan(store::Family::jobs, "", "")->valid();
}

void close_queues(store::Transaction& transaction, const std::vector<std::string>& queues) {
  for (const std::string& queue : queues) {
    document::QueueState state = records::read_queue_state(transaction, queue);
    if (!state.enabled) continue;
    state.enabled = false;
    state.disable_reason = kClosed;
    records::write_queue_state(transaction, queue, state);
  }
}

std::string instances_lock(const std::string& store) {
  return meeting::instances_directory(store) + "/.lock";
}

void make_instances(const Session& session) {
  Recorded recorded;
  query(session, [&](const store::Reader& reader) {
    recorded.instances = records::read_instances(reader);
    recorded.document = parse_json(records::read_config_document(reader), "configuration");
    recorded.nodes = read_nodes(reader);
    recorded.info = records::read_store_info(reader);
  });
  for (const records::StandingInstance& each : recorded.instances.list) {
    if (!is_made(session.store, each, recorded.instances.generation)) make_instance(session, recorded, each);
  }
  for (const std::string& name :
       names_in(meeting::instances_directory(session.store)).value_or(std::vector<std::string>{})) {
    if (name.front() != '.' && recorded.instances.find(name) == nullptr)
      remove_instance(instance_session(session, name));
  }
}

std::vector<Instance> standing_instances(const Session& session) {
  if (!exists(meeting::instances_directory(session.store))) return {};
  records::StandingInstances known = read_recorded(session);
  if (!are_made(session.store, known) && session.damaged == nullptr) {
    const auto lock =
        FileLock::acquire(instances_lock(session.store), LockMode::exclusive, session.lock_timeout_s);
    if (!lock) {
      throw error(Kind::timeout,
                  "others configure the instances of the store {}: they have not done so in time",
                  quote(session.store));
    }
    make_instances(session);
    known = read_recorded(session);
  }
  std::vector<Instance> instances;
  for (const records::StandingInstance& each : known.list)
    instances.push_back({each.of, each.number, instance_session(session, each.of.queue)});
  return instances;
}

}  // namespace fq::manager
