// Loading a configuration into the store, and what that means for the jobs that are there.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/config/config.h"
#include "manager/core/inventory.h"
#include "manager/engine/session.h"
#include "request/configuration.h"

namespace fq::manager {

using request::LoadReply;
using request::VanishedQueue;

/// A configuration that was checked when it was loaded, for these nodes. Throws Error{invalid} where it does
/// not fit them any more.
[[nodiscard]] document::Config compile_config(const nlohmann::json& document,
                                              const document::ResourceSet& inventory);
/// The configuration of `source` for these nodes. Throws Error{invalid} that names file, line and key.
[[nodiscard]] document::Config check_config(const document::ConfigSource& source,
                                            const document::ResourceSet& inventory);
/// The same for `nodes`, which it gives itself (document/config/config_resource.h), or else those of the
/// store.
[[nodiscard]] document::Config check_config(const document::ConfigSource& source,
                                            const std::optional<document::ResourceSet>& nodes,
                                            const store::Reader& reader);
/// Throws Error{refused} where queues of it are instances of their own, and users share the store at `path`.
void refuse_instances(const std::string& path, const document::Config& config);
/// Makes what `compile` gives for `nodes` the configuration in force, and `nodes` those of the store. Returns
/// the ranks that leave (manager/core/inventory.h). Throws what `compile` does.
notation::Idset put_config(Change& change, const document::ResourceSet& nodes, const Compile& compile);
/// Throws Error{refused} where jobs wait in queues that are gone.
void refuse_stranding(const std::vector<VanishedQueue>& vanished);
/// The queues that have active jobs and are not in `present`, names in order.
[[nodiscard]] std::vector<VanishedQueue> vanished_queues(const store::Reader& reader,
                                                         const std::vector<std::string>& present);
/// The configuration in force, as JSON.
[[nodiscard]] std::string loaded_config(const Session& session);

struct CheckReply {
  document::Config config;
  std::vector<VanishedQueue> vanished;  ///< of the store's, with active jobs
  std::vector<std::string> notes;       ///< as in request::CheckConfigReply
};
/// The same, and what would become of the store's queues.
[[nodiscard]] CheckReply check_config(const document::ConfigSource& source,
                                      const std::optional<document::ResourceSet>& nodes,
                                      const Session& session);

/// Throws as request::LoadConfigRequest is refused.
LoadReply load_config(const Session& session, const document::ConfigSource& source, bool force,
                      const std::optional<document::ResourceSet>& nodes = std::nullopt,
                      const std::optional<std::string>& replaces = std::nullopt);

}  // namespace fq::manager
