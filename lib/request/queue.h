// Queues (RFC 33): starting, stopping, enabling and disabling them, what their state is, their limits, and
// what they have.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "document/config/config.h"
#include "document/config/queue_state.h"
#include "request/refusal.h"

namespace fq::request {

/// A queue's state as RFC 33 reports it: `started` is whether its jobs may start now.
struct QueueStatus {
  std::string queue;
  document::QueueState state;
  std::string parent;    ///< of a virtual queue, else empty
  bool blocked = false;  ///< started, but its parent is not
  /// When the scheduler that failed is tried again, and in how many seconds.
  struct NextTry {
    double time = 0, in_s = 0;
    friend bool operator==(const NextTry&, const NextTry&) = default;
  };
  std::optional<NextTry> next_try;
  /// For how many seconds its scheduler, a program, has been asked, or is to be.
  std::optional<double> asked_for_s;

  friend bool operator==(const QueueStatus&, const QueueStatus&) = default;
};

struct QueueReply {
  std::vector<QueueStatus> queues;  ///< as they now are
};

/// What the scheduler said of jobs in a queue that is stopped is void. Refused with Error{permission} unless
/// the caller is the owner, Error{not_found} for an unknown queue, Error{usage} when queues are configured
/// and none is named.
struct QueueRequest {
  using Reply = QueueReply;
  enum class Verb : std::uint8_t { start, stop, enable, disable };
  Verb verb = Verb::start;
  std::string queue;   ///< empty: the anonymous queue
  std::string reason;  ///< of stop and disable; disabling needs one
  bool all = false;    ///< every queue
};

struct QueueStatusReply {
  std::vector<QueueStatus> queues;  ///< by name
  std::uint64_t waiting = 0;        ///< jobs that wait for resources
  std::uint64_t running = 0;
};

/// Of one queue, or of all. Refused with Error{not_found}.
struct QueueStatusRequest {
  using Reply = QueueStatusReply;
  std::optional<std::string> queue;
};

struct QueueOverview {
  QueueStatus status;
  bool is_default = false;
  document::QueuePolicy policy;
  /// The nodes that it uses, and what they have.
  struct Resources {
    std::uint64_t nodes = 0, cores = 0, gpus = 0;
  };
  Resources resources;
  /// What one job may ask for: the limits, as far as the nodes allow.
  struct Range {
    std::uint64_t least = 0, most = 0;
  };
  Range nnodes, ncores, ngpus;
};

struct QueueOverviewReply {
  std::vector<QueueOverview> queues;  ///< by name
};

/// The queues `wanted`, or all. Refused with Error{not_found}.
struct QueueOverviewRequest {
  using Reply = QueueOverviewReply;
  std::optional<std::set<std::string>> wanted;
};

}  // namespace fq::request
