// The table `qos` of a configuration: qualities of service by name. Three there always are, whether or not
// the table has them; what it does not say of these is as here:
//
//   [qos.expedite]   factor = 1.0    granted to nobody but the owner
//   [qos.normal]     factor = 0.5    of jobs that name none
//   [qos.standby]    factor = 0.0    exempt = ["duration", "job-size"]
//
//   factor = 0.8                  of priority, within [0, 1]; 0.5 where it is not set
//   allow-user = ["ada"]          who may use it, beside the owner; with neither list everybody may
//   allow-group = ["staff"]
//   exempt = ["duration"]         from which limits of its queue a job is
//   limits = { max-nodes = 4 }    of all its jobs together (priority/account_limits.h)
//   per-association = { max-running-jobs = 2 }    of those of one user, in one bank
//   preempt = ["standby"]         qualities of service and queues whose running jobs may be preempted for its
//   own

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/config/config_source.h"

namespace fq::document {

struct QosConfig {
  std::string name;
  double factor = 0.5;
  bool granted = false;  ///< by the lists alone: without them to the owner only
  std::optional<std::vector<std::string>> allow_user, allow_group;
  bool exempt_duration = false, exempt_size = false;
  std::string limits, per_association;  ///< JSON object text of limits; empty: none
  std::vector<std::string> preempt;     ///< names: whose running jobs may be preempted for those with it

  friend bool operator==(const QosConfig&, const QosConfig&) = default;
};

/// The qualities of service, by name: those of the table and those that there always are. `read_limits` is
/// given tables of limits. Throws Error{invalid}.
[[nodiscard]] std::vector<QosConfig> read_qos(const ConfigAt& root, const OpaqueReader& read_limits);

/// As JSON text, empty where nothing but what there always is; and read again.
[[nodiscard]] std::string encode_qos(const std::vector<QosConfig>& list);
[[nodiscard]] std::vector<QosConfig> decode_qos(std::string_view text);

}  // namespace fq::document
