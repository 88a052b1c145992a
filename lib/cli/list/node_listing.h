// Nodes by what administrators have made of them, as `fq resource status` and `fq resource drain` show them.

#pragma once

#include <string>

#include "cli/frame/common_options.h"
#include "cli/list/resource_choice.h"

namespace fq::cli {

/// A row a state: avail, exclude, draining where jobs still run, drained, and leaving for nodes that are no
/// longer wanted and that jobs still hold; where it is chosen, allocated for those with jobs, and drain for
/// drained and draining. States without nodes are left out unless they are chosen. Throws Error{not_found} as
/// chosen_ranks does. REQUIRES states that check_node_state_listing knows.
[[nodiscard]] std::string list_node_states(const manager::ResourceUse& use, const ResourceChoice& choice,
                                           const ListingOptions& options);
[[nodiscard]] std::string node_state_format_help();
/// Throws Error{usage} for an unknown state, and for a format, a field or a sort key that there is not.
void check_node_state_listing(const ResourceChoice& choice, const ListingOptions& options);

/// The drained nodes, a row for those of the same time and reason. Throws as list_node_states.
[[nodiscard]] std::string list_drains(const manager::ResourceUse& use, const ResourceChoice& choice,
                                      const ListingOptions& options);
[[nodiscard]] std::string drain_format_help();
void check_drain_listing(const ListingOptions& options);

}  // namespace fq::cli
