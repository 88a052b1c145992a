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
/// Throws Error{not_found} for unknown queues and nodes. REQUIRES states that check_resource_listing knows.
[[nodiscard]] std::string list_resources(manager::ResourceUse use, const ResourceChoice& choice,
                                         const ListingOptions& options);
[[nodiscard]] std::string resource_format_help();
/// Throws Error{usage} for an unknown state, and for a format, a field or a sort key that there is not.
void check_resource_listing(const ResourceChoice& choice, const ListingOptions& options);

/// A row a state: avail, exclude, drained, draining where jobs still run, and leaving for nodes that are no
/// longer wanted and that jobs still hold. States without nodes are left out.
[[nodiscard]] std::string list_node_states(const manager::ResourceUse& use, const ListingOptions& options);
[[nodiscard]] std::string node_state_format_help();
void check_node_state_listing(const ListingOptions& options);

/// The drained nodes, a row for those of the same time and reason.
[[nodiscard]] std::string list_drains(const manager::ResourceUse& use, const ListingOptions& options);
[[nodiscard]] std::string drain_format_help();
void check_drain_listing(const ListingOptions& options);

/// What is to be said of nodes that leave, a line.
[[nodiscard]] std::string leaving_line(const std::string& nodelist);

/// `4 Nodes, 16 Cores, 4 GPUs`, a line.
[[nodiscard]] std::string resource_summary(const manager::ResourceUse& use);

}  // namespace fq::cli
