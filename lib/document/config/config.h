// Queues and their policy (RFC 33), as configuration describes them: read from the document that a
// ConfigSource joins, checked whole, and compiled, so that whoever asks for one queue gets all that holds for
// it.
//
//   [policy]                  for every queue, the anonymous one included, where the queue says nothing else
//     jobspec.defaults.system.duration = "1h"           jobspec.defaults.system.queue = "batch"
//     limits.duration = "8h"                            limits.job-size.max.nnodes = 4
//     access.allow-user = ["ada"]                       access.allow-group = ["staff"]
//     scheduler = { … }                                 read by the scheduler alone
//     priority = { … }                                  and by the priority schemes alone
//   [queues.NAME]
//     requires = ["gpu"]      or an RFC 31 table        hosts = "node[0-3]"   or "all"
//     parent = "batch"        a virtual queue           policy = { … }        as above, key by key
//     instance = true         an instance of its own (queue_instances.h)
//   [resource]                config_resource.h         [exec] and [jobs]     config_jobs.h
//   [log]                     config_log.h
//   [job-manager.prolog] and [queues.NAME.prolog]       config_perilog.h
//   [qos.NAME]                config_qos.h
//   [access]                  config_access.h           [accounting]          read by who counts usage alone

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "document/config/config_access.h"
#include "document/config/config_jobs.h"
#include "document/config/config_log.h"
#include "document/config/config_perilog.h"
#include "document/config/config_qos.h"
#include "document/config/config_source.h"
#include "document/resource/resource_set.h"

namespace fq::document {

/// What a job may ask for; -1: as much, or as little, as it likes.
struct SizeLimits {
  static constexpr std::int64_t kNone = -1;
  std::int64_t nnodes = kNone, ncores = kNone, ngpus = kNone;

  friend bool operator==(const SizeLimits&, const SizeLimits&) = default;
};

/// The policy that holds for a queue: its own, for what it does not say that of its parent, then the general
/// one.
struct QueuePolicy {
  double default_duration_s = 0;  ///< of jobs that name none; 0: none
  double max_duration_s = 0;      ///< 0: no limit
  SizeLimits max, min;
  std::optional<std::vector<std::string>> allow_user, allow_group;  ///< both missing: everybody
  std::string scheduler;        ///< JSON object text for the scheduler; empty: nothing is set
  std::string priority;         ///< the same for the priority scheme
  std::string per_association;  ///< the same of the limits of each user in each bank
  PerilogConfig prolog, epilog, housekeeping;

  [[nodiscard]] const PerilogConfig& perilog(PerilogKind kind) const {
    if (kind == PerilogKind::housekeeping) return housekeeping;
    return kind == PerilogKind::prolog ? prolog : epilog;
  }

  friend bool operator==(const QueuePolicy&, const QueuePolicy&) = default;
};

struct QueueConfig {
  std::string name;    ///< empty: the anonymous queue
  std::string parent;  ///< of a virtual queue, else empty
  std::string
      constraint;  ///< RFC 31 text that its jobs must satisfy, the parent's for a virtual queue; empty: none
  QueuePolicy policy;
  std::vector<std::string> virtual_queues;  ///< those whose parent it is, by name
  std::uint32_t group = 0;                  ///< queues that share nodes have the same number

  std::uint16_t tier = 0;  ///< in a group, queues of the highest are served first
  friend bool operator==(const QueueConfig&, const QueueConfig&) = default;
};

/// A queue whose jobs an instance of its own has (queue_instances.h).
struct QueueInstance {
  std::string queue;
  std::vector<std::string> queues;  ///< it and its virtual queues, by name
  notation::Idset ranks;            ///< its nodes, which no other queue has; not empty

  friend bool operator==(const QueueInstance&, const QueueInstance&) = default;
};

struct Config {
  nlohmann::json document;    ///< as it was loaded
  std::string default_queue;  ///< empty: no queues are configured
  /// By name; the anonymous one alone where none are configured. REQUIRES default_queue to be among them.
  std::vector<QueueConfig> queues;
  std::vector<QueueInstance> instances;  ///< the others, by name
  /// The inventory with the membership of the queues that name hosts: property `+NAME`.
  ResourceSet inventory;
  notation::Idset excluded;  ///< ranks of it that no job may have, those of instances included
  ExecConfig exec;
  std::vector<QosConfig> qos;  ///< by name
  std::string accounting;      ///< JSON object text for who counts usage; empty: nothing is set
  RetentionConfig retention;
  AccessConfig access;
  LogConfig log;
};

/// What others must know of how a scheduler is configured.
struct SchedulerFacts {
  std::uint16_t tier = 0;
  std::vector<std::string> preempt;  ///< names of qualities of service and queues
  std::string unused;                ///< a key that does not hold beside the others; empty: none
};

/// Who reads the tables that are opaque to all others. Each throws Error{invalid}.
struct PolicyReaders {
  /// What a scheduler is configured with.
  std::function<SchedulerFacts(const nlohmann::json& parameters)> scheduler;
  /// What a priority scheme is configured with.
  OpaqueReader priority;
  /// How usage is counted.
  OpaqueReader accounting;
  /// Limits of users, and of qualities of service.
  OpaqueReader limits;
  /// Prolog and epilog; empty: any program is taken.
  ProgramCheck program = {};
};

/// Reads the whole configuration, with the nodes of `inventory`: those of configured_nodes, where it gives
/// any. Throws Error{invalid} for the first thing that is wrong: `fq.toml:12: queues.debug.requires: no node
/// has the property 'gpus'`, with a near match as hint.
[[nodiscard]] Config read_config(const nlohmann::json& document, const ConfigSource* source,
                                 const ResourceSet& inventory, const PolicyReaders& readers);

/// A compiled queue as JSON text, and read again.
[[nodiscard]] std::string encode_queue(const QueueConfig& queue);
[[nodiscard]] QueueConfig decode_queue(std::string_view name, std::string_view text);

/// The property that the hosts of a queue have (RFC 33): `+NAME`.
[[nodiscard]] std::string membership_property(std::string_view queue);

}  // namespace fq::document
