// The queues of a store: what configuration made of them, and the state that administrators gave them. Each
// is read when it is first asked for; a store without configuration is asked for nothing.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/config/config.h"
#include "records/instance.h"
#include "store/transaction.h"

namespace fq::records {

/// Valid while the reader is; what is written meanwhile is not seen.
class Queues {
 public:
  explicit Queues(const store::Reader& reader);

  /// Whether queues are configured; else there is the anonymous one, whose name is empty.
  [[nodiscard]] bool named() const { return !default_.empty(); }
  /// The queue of jobs that name none: empty where none are configured.
  [[nodiscard]] const std::string& default_queue() const { return default_; }

  /// The queue, or null where there is none of that name. Valid while this is.
  [[nodiscard]] const document::QueueConfig* find(std::string_view name);
  /// The same; throws Error{not_found} `queue 'debg' does not exist`, with a near match or all there are as
  /// hint.
  [[nodiscard]] const document::QueueConfig& require(std::string_view name);
  /// By name.
  [[nodiscard]] std::vector<std::string> names() const;

  /// What an administrator made it. A queue without a record is enabled and started.
  [[nodiscard]] const document::QueueState& state(std::string_view name);
  /// How the jobs of a queue are served.
  struct Scheduling {
    std::string parent;       ///< of a virtual queue, else empty
    std::uint32_t group = 0;  ///< queues that share nodes have the same number
    std::uint16_t tier = 0;
  };
  /// The same for the queue, or null where there is none of that name. The first call reads what is needed of
  /// all queues. Valid while this is.
  [[nodiscard]] const Scheduling* scheduling(std::string_view name);
  /// The queue whose scheduler serves its jobs: the parent of a virtual queue, else itself.
  [[nodiscard]] const std::string& served_by(const std::string& name);
  /// Whether its jobs may start: it and its parent must exist, be started, and not be suspended.
  [[nodiscard]] bool may_start_jobs(std::string_view name);

 private:
  const store::Reader* reader_;
  std::string default_;
  std::map<std::string, std::optional<document::QueueConfig>, std::less<>> queues_;
  std::map<std::string, document::QueueState, std::less<>> states_;
  bool all_states_known_ = false;  ///< a queue that is not in states_ has no record
  std::optional<std::map<std::string, Scheduling, std::less<>>> scheduling_;
};

/// The value of `config.scheduling` for these queues.
[[nodiscard]] std::string encode_scheduling(const std::vector<document::QueueConfig>& queues);
/// The loaded configuration as JSON text: `{}` where none was loaded.
[[nodiscard]] std::string read_config_document(const store::Reader& reader);
/// What the loaded configuration says of how jobs are ended and kept; nothing where none was loaded.
[[nodiscard]] document::ExecConfig read_exec_config(const store::Reader& reader);
[[nodiscard]] document::RetentionConfig read_retention(const store::Reader& reader);
/// Who runs the store beside its owner, and what users see of each other.
[[nodiscard]] document::AccessConfig read_access(const store::Reader& reader);
/// The qualities of service, by name.
[[nodiscard]] std::vector<document::QosConfig> read_qos(const store::Reader& reader);
/// The one of that name; of an empty name, and of one that is configured no more, `normal`.
[[nodiscard]] document::QosConfig qos_of(const store::Reader& reader, std::string_view name);
/// Replaces the configuration; the nodes are the caller's. Queues that are gone lose their state.
void write_config(store::Transaction& transaction, const document::Config& config);

}  // namespace fq::records
