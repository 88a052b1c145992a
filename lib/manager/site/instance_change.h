// A change of which queues are instances of their own, or of what they have, in steps: what is taken from
// instances is taken from them first, then the store's record says how it is to be, and what follows from
// that is done last. So no node is ever two's; a process that is killed leaves what the next one that looks
// makes good (instances.h).

#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/file_lock.h"
#include "document/config/config.h"
#include "manager/core/change.h"
#include "manager/engine/session.h"

namespace fq::manager {

class InstanceChange {
 public:
  /// Others that change instances of the store wait from now on, where it has any. `session` outlives this.
  /// Throws Error{timeout}.
  explicit InstanceChange(const Session& session);
  /// What was taken is given back, unless carry_out came.
  ~InstanceChange();
  InstanceChange(const InstanceChange&) = delete;
  InstanceChange& operator=(const InstanceChange&) = delete;

  /// Whether the store has or had instances, or `document` says that it shall: prepare is due then. Without
  /// it the rest does nothing.
  [[nodiscard]] bool concerns(const nlohmann::json& document) const;

  /// Takes from instances what they shall not have any more. Throws Error{refused} where jobs hold it, for an
  /// instance with jobs that shall be none, and unless `force` for virtual queues in which jobs wait.
  void prepare(const document::Config& wanted, bool force);
  /// Records what instances there are. To be called in the transaction, before its configuration and nodes
  /// change. Throws Error{refused} where the store's own jobs have nodes or queues of instances, where these
  /// are drained, and where it has accounts.
  void record(Change& change);
  /// Throws Error{refused} where this is another configuration than the one that was prepared for.
  void require_same(const document::Config& config) const;
  /// Makes, configures and removes instances. To be called after the commit. Throws Error.
  void carry_out();

 private:
  /// The instance has these nodes no longer, and starts nothing on them.
  void take_nodes(const Session& instance, const document::QueueInstance& of,
                  const notation::Idset& lost) const;
  /// It has no jobs, and takes none.
  void close(const Session& instance, const document::QueueInstance& of) const;
  void take_lock();

  const Session& session_;
  std::optional<FileLock> lock_;
  std::optional<std::vector<document::QueueInstance>> wanted_;
};

}  // namespace fq::manager
