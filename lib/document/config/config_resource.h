// The table `resource` of a configuration: which nodes there are, as Flux's.
//
//   [resource]
//     path = "/etc/fq/R.json"      a file with the nodes (RFC 20), or
//     [[resource.config]]          nodes that are alike, one after another; a host may stand in several
//       hosts = "node[0-3]"          a list of hosts (RFC 29)
//       cores = "0-15"               idsets (RFC 22) of what each has
//       gpus = "0-1"
//       properties = ["fast"]
//     scheduling = "jgf.json"      a file with what a scheduler wants to know (the key `scheduling` of R)
//
//     exclude = "node3"            ranks, or a list of hosts: nodes that no job may have
//
//     norestrict = true            this machine's cores count though this process may not use them
//
//     noverify = true              what is said of this machine is not compared with it

#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "document/config/config_source.h"
#include "document/resource/resource_set.h"

namespace fq::document {

/// Returns the text of the file `path`, as a configuration names it.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Whether the nodes are the configuration's to give.
[[nodiscard]] bool gives_nodes(const nlohmann::json& document);

/// The nodes that the configuration gives, with ranks from 0 in the order in which the hosts are named first;
/// nothing where it gives none. Throws Error{invalid}, and what `read_file` throws.
[[nodiscard]] std::optional<ResourceSet> configured_nodes(const ConfigAt& root, const ReadFile& read_file);

/// How the configuration wants this machine's own resources looked at.
struct ProbeConfig {
  bool restricted = true;  ///< only the cores that this process may use count
  bool verified = true;    ///< what it says of this machine is compared with them
};
[[nodiscard]] ProbeConfig read_probe(const ConfigAt& root);

/// Throws Error{invalid} where `nodes`, which the configuration gives, have cores or GPUs of a host of
/// `machine` that are not there.
void verify_nodes(const ConfigAt& root, const ResourceSet& nodes, const ResourceSet& machine);

/// The ranks of `inventory` that the configuration excludes. Throws Error{invalid} for nodes that are not
/// there.
[[nodiscard]] notation::Idset read_excluded_nodes(const ConfigAt& root, const ResourceSet& inventory);

/// A value that is a list of hosts, each named once. Throws Error{invalid}.
[[nodiscard]] notation::Hostlist as_hosts(const ConfigAt& at);

}  // namespace fq::document
