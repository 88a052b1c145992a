// Queues that are instances of their own: `[queues.NAME] instance = true`. Their nodes are theirs alone, and
// all that else holds for them is in a configuration made of the store's.

#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

#include "document/config/config.h"
#include "document/config/config_source.h"

namespace fq::document {

/// Moves such queues from `config.queues` to `config.instances` and excludes their nodes. Throws
/// Error{invalid} for one that names no nodes, that shares some with another queue or is the default, and for
/// `instance` at a virtual queue. REQUIRES all else of `config` to be read from `root`.
void part_instances(Config& config, const ConfigAt& root);

/// How many queues it has, those of instances included.
[[nodiscard]] std::size_t count_queues(const Config& config);

/// Whether a configuration, that need not be right, may have such queues.
[[nodiscard]] bool names_instances(const nlohmann::json& document);

/// The configuration of the instance: its queues, the rest of `document` as far as it is for them. Nodes are
/// given to it.
[[nodiscard]] nlohmann::json instance_document(const nlohmann::json& document, const QueueInstance& instance);
/// Its nodes, with the ranks and properties that they have in `nodes`.
[[nodiscard]] ResourceSet instance_nodes(const ResourceSet& nodes, const QueueInstance& instance);

}  // namespace fq::document
