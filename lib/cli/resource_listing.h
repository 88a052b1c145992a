// Resources as `fq resource list`, `status`, `drain` and `info` show them.

#pragma once

#include <string>
#include <vector>

#include "cli/common_options.h"
#include "manager/resource_use.h"

namespace fq::cli {

/// What of the resources is listed; empty: all.
struct ResourceChoice {
  std::vector<std::string> states, queues;
  std::string nodes;  ///< ranks, or a list of hosts
};

/// A row a state, free, allocated and down, and queue where queues are configured. Drained nodes are down.
/// Throws Error{usage} for an unknown state, Error{not_found} for unknown queues and nodes.
[[nodiscard]] std::string list_resources(manager::ResourceUse use, const ResourceChoice& choice,
                                         const ListingOptions& options);
[[nodiscard]] std::string resource_format_help();

/// A row a state: avail, exclude, drained, draining where jobs still run, and leaving for nodes that are no
/// longer wanted and that jobs still hold. States without nodes are left out.
[[nodiscard]] std::string list_node_states(const manager::ResourceUse& use, const ListingOptions& options);
[[nodiscard]] std::string node_state_format_help();

/// The drained nodes, a row for those of the same time and reason.
[[nodiscard]] std::string list_drains(const manager::ResourceUse& use, const ListingOptions& options);
[[nodiscard]] std::string drain_format_help();

/// What is to be said of nodes that leave, a line.
[[nodiscard]] std::string leaving_line(const std::string& nodelist);

/// `4 Nodes, 16 Cores, 4 GPUs`, a line.
[[nodiscard]] std::string resource_summary(const manager::ResourceUse& use);

}  // namespace fq::cli
