// Queues that are instances of their own (document/config/queue_instances.h): stores in a store, made and
// configured by what is recorded there (records/instances.h), as soon as somebody looks.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/config/config.h"
#include "manager/engine/session.h"
#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::manager {

struct Instance {
  document::QueueInstance of;
  std::uint32_t number = 0;  ///< what its jobs' ids have
  Session session;           ///< as that of the store around it
};

/// The number that is in a job's id: that of its instance, 0 for a job of the store itself.
[[nodiscard]] std::uint32_t instance_number(notation::JobId id);

/// The instances in the session's store, by name, each made and configured as is recorded. For a store that
/// never had any this is one question to the file system. Throws Error.
[[nodiscard]] std::vector<Instance> standing_instances(const Session& session);

/// The session for the instance that is queue `queue`.
[[nodiscard]] Session instance_session(const Session& session, const std::string& queue);
/// Whether a store has any job, active or not.
[[nodiscard]] bool has_jobs(const store::Reader& reader);

/// Has an instance that is to be gone take no more jobs; with its next configuration it does again.
void close_queues(store::Transaction& transaction, const std::vector<std::string>& queues);

/// Makes and configures all that is recorded and is not made yet; what is there and not recorded is removed,
/// unless it has jobs. REQUIRES the lock of the instances (instance_change.h). Throws Error.
void make_instances(const Session& session);
/// Where that lock is.
[[nodiscard]] std::string instances_lock(const std::string& store);

}  // namespace fq::manager
