#include "manager/site/instance_change.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try_to.h"
#include "document/config/queue_instances.h"
#include "manager/core/inventory.h"
#include "manager/engine/store_check.h"
#include "manager/site/configure.h"
#include "manager/site/instances.h"
#include "meeting/standing.h"
#include "records/accounts.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/instances.h"
#include "records/queues.h"

namespace fq::manager {

using document::QueueInstance;
using notation::Idset;

namespace {

Error refused(const std::string& queue, const std::string& why, std::string_view hint = {}) {
  return Error{Kind::refused, fmt::format("queue {}: {}", quote(queue), why), hint};
}

std::string hosts(const document::ResourceSet& nodes, const Idset& ranks) {
  return nodes.subset(nodes.ranks().intersect(ranks)).nodelist();
}

// Nodes change hands only while nobody has anything of them.
void require_free(Change& change, const std::string& queue, const Idset& ranks) {
  const document::ResourceSet nodes = read_nodes(change.transaction());
  if (const Idset held = change.pool().allocated().ranks().intersect(ranks); !held.empty())
    throw refused(queue, fmt::format("jobs have {} still", hosts(nodes, held)),
                  "when they have ended it can change hands");
  if (const Idset drained = records::drained_ranks(change.transaction()).intersect(ranks); !drained.empty())
    throw refused(queue, fmt::format("{} is drained", hosts(nodes, drained)), "fq resource undrain");
}

void require_no_jobs(const store::Reader& reader, const QueueInstance& instance) {
  for (const VanishedQueue& queue : vanished_queues(reader, {})) {
    if (!std::binary_search(instance.queues.begin(), instance.queues.end(), queue.name)) continue;
    throw refused(queue.name,
                  fmt::format("it has {}, which the instance would not have",
                              counted(queue.pending + queue.running, "active job")),
                  "when they have ended it can be an instance");
  }
}

}  // namespace

InstanceChange::InstanceChange(const Session& session) : session_(session) {
  if (exists(meeting::instances_directory(session_.store))) take_lock();
}

InstanceChange::~InstanceChange() {
  if (wanted_) try_to([&] { make_instances(session_); });
}

void InstanceChange::take_lock() {
  lock_ = FileLock::acquire(instances_lock(session_.store), LockMode::exclusive, session_.lock_timeout_s);
  if (lock_) return;
  throw error(Kind::timeout, "others configure the instances of the store {}: they have not done so in time",
              quote(session_.store));
}

bool InstanceChange::concerns(const nlohmann::json& document) const {
  return lock_ || document::names_instances(document);
}

void InstanceChange::prepare(const document::Config& wanted, bool force) {
  if (!lock_) {
    if (wanted.instances.empty()) return;
    make_directory(meeting::instances_directory(session_.store));
    take_lock();
  }
  // What somebody has left undone is done first.
  make_instances(session_);
  records::StandingInstances known;
  query(session_, [&](const store::Reader& reader) { known = records::read_instances(reader); });
  for (const QueueInstance& instance : wanted.instances) {
    const std::string path = meeting::standing_store(session_.store, instance.queue);
    if (known.find(instance.queue) == nullptr && exists(path)) {
      throw Error{Kind::refused,
                  fmt::format("queue {}: there is something in {}", quote(instance.queue), quote(path)),
                  "move it away: it has jobs of an instance that is recorded no more"};
    }
  }
  wanted_ = wanted.instances;
  for (const records::StandingInstance& before : known.list) {
    const Session instance = instance_session(session_, before.of.queue);
    if (!store_exists(instance.store)) continue;
    const auto after = std::find_if(wanted.instances.begin(), wanted.instances.end(),
                                    [&](const QueueInstance& each) { return each.queue == before.of.queue; });
    if (after == wanted.instances.end()) {
      close(instance, before.of);
      continue;
    }
    query(instance, [&](const store::Reader& reader) {
      const auto vanished = vanished_queues(reader, after->queues);
      if (!force) refuse_stranding(vanished);
    });
    const Idset lost = before.of.ranks.subtract(after->ranks);
    if (lost == before.of.ranks) throw refused(before.of.queue, "its instance would keep none of its nodes");
    if (!lost.empty()) take_nodes(instance, before.of, lost);
  }
  fault_point("instances-prepared");
}

void InstanceChange::take_nodes(const Session& instance, const QueueInstance& of, const Idset& lost) const {
  meeting::write_standing(instance.store, of.queue, 0);
  transact(instance, [&](Change& change) {
    require_free(change, of.queue, lost);
    const nlohmann::json document =
        parse_json(records::read_config_document(change.transaction()), "configuration");
    const document::ResourceSet nodes = read_nodes(change.transaction());
    static_cast<void>(
        put_config(change, nodes.subset(nodes.ranks().subtract(lost)),
                   [&](const document::ResourceSet& of_them) { return compile_config(document, of_them); }));
  });
}

void InstanceChange::close(const Session& instance, const QueueInstance& of) const {
  meeting::write_standing(instance.store, of.queue, 0);
  transact(instance, [&](Change& change) {
    if (has_jobs(change.transaction())) {
      throw refused(of.queue, "it would be no instance any more, and its jobs would be gone",
                    "fq job purge removes those that have ended");
    }
    require_free(change, of.queue, of.ranks);
    close_queues(change.transaction(), of.queues);
  });
}

void InstanceChange::record(Change& change) {
  if (!wanted_) return;
  for (const QueueInstance& instance : *wanted_) {
    if (records::has_accounts(change.transaction()))
      throw refused(instance.queue,
                    "it cannot be an instance: the store has accounts, and nobody would be charged");
    require_no_jobs(change.transaction(), instance);
    require_free(change, instance.queue, instance.ranks);
  }
  records::write_instances(change.transaction(), *wanted_);
}

void InstanceChange::require_same(const document::Config& config) const {
  if (config.instances.empty() && !wanted_) return;
  if (wanted_ && config.instances == *wanted_) return;
  throw Error{Kind::refused, "the nodes have been changed meanwhile", "try again"};
}

void InstanceChange::carry_out() {
  if (!wanted_) return;
  fault_point("instances-recorded");
  wanted_.reset();
  make_instances(session_);
}

}  // namespace fq::manager
