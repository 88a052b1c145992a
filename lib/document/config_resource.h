// The table `resource` of a configuration: which nodes there are, as Flux's.
//
//   [resource]
//     path = "/etc/fq/R.json"      a file with the nodes (RFC 20), or
//     [[resource.config]]          nodes that are alike, one after another; a host may stand in several
//       hosts = "node[0-3]"          a list of hosts (RFC 29)
//       cores = "0-15"               idsets (RFC 22) of what each has
//       gpus = "0-1"
//       properties = ["fast"]
//     exclude = "node3"            ranks, or a list of hosts: nodes that no job may have

#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "document/config_source.h"
#include "document/resource_set.h"

namespace fq::document {

/// Whether the nodes are the configuration's to give.
[[nodiscard]] bool gives_nodes(const nlohmann::json& document);

/// The nodes that the configuration gives, with ranks from 0 in the order in which the hosts are named first;
/// nothing where it gives none. `read_file` returns the text of the file `path`. Throws Error{invalid}, and
/// what `read_file` throws.
[[nodiscard]] std::optional<ResourceSet> configured_nodes(
    const ConfigAt& root, const std::function<std::string(const std::string& path)>& read_file);

/// The ranks of `inventory` that the configuration excludes. Throws Error{invalid} for nodes that are not
/// there.
[[nodiscard]] notation::Idset read_excluded_nodes(const ConfigAt& root, const ResourceSet& inventory);

/// A value that is a list of hosts, each named once. Throws Error{invalid}.
[[nodiscard]] notation::Hostlist as_hosts(const ConfigAt& at);

}  // namespace fq::document
