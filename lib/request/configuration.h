// The configuration of a store, and another one for it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/config/config_source.h"
#include "document/resource/resource_set.h"

namespace fq::request {

struct ConfigReply {
  std::string document;  ///< the configuration in force, as JSON
};

struct ConfigRequest {
  using Reply = ConfigReply;
};

/// A queue that a configuration no longer has, and what is in it.
struct VanishedQueue {
  std::string name;
  std::uint64_t pending = 0;
  std::uint64_t running = 0;
};

struct CheckConfigReply {
  std::uint64_t queues = 0;
  std::string default_queue;            ///< empty: no queues are configured
  std::vector<VanishedQueue> vanished;  ///< of the store's, with active jobs
  std::vector<std::string> notes;       ///< what it means that one may not expect, a sentence each
};

/// Changes nothing. Refused with Error{invalid} that names file, line and key.
struct CheckConfigRequest {
  using Reply = CheckConfigReply;
  std::vector<document::ConfigSource::File> files;
  std::optional<document::ResourceSet> nodes;  ///< those that it gives itself; else it is for the store's
};

struct LoadReply {
  std::vector<VanishedQueue> vanished;  ///< with active jobs
  std::string leaving;                  ///< nodes that are gone when their jobs have ended (RFC 29)
  std::vector<std::string> notes;       ///< as in CheckConfigReply
};

/// Replaces the configuration, and with `nodes`, which it gives itself, the inventory, in one transaction.
/// Refused with Error{permission} unless the caller is the owner, Error{invalid} as above; and Error{refused}
/// when pending jobs would be left in queues that are gone: with `force` they wait until their queue is back,
/// or they are moved; and where another configuration is in force than the one that it `replaces`.
struct LoadConfigRequest {
  using Reply = LoadReply;
  std::vector<document::ConfigSource::File> files;
  bool force = false;
  std::optional<document::ResourceSet> nodes;
  std::optional<std::string> replaces;  ///< the document that must be in force, else it is refused
};

}  // namespace fq::request
