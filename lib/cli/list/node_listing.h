// Nodes by what administrators have made of them, as `fq resource status` and `fq resource drain` show them.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/common_options.h"
#include "cli/list/resource_choice.h"
#include "request/nodes.h"

namespace fq::cli {

/// A row a state: avail, exclude, draining where jobs still run, drained, and leaving for nodes that are no
/// longer wanted and that jobs still hold; where it is chosen, allocated for those with jobs, and drain for
/// drained and draining. Where the format or JSON tells since when or why, drained nodes that differ in it
/// have rows of their own. States without nodes are left out unless they are chosen. Throws Error{not_found}
/// as chosen_ranks does. REQUIRES states that check_node_state_listing knows.
[[nodiscard]] std::string list_node_states(const request::ResourceUse& use, const ResourceChoice& choice,
                                           const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> node_state_formats_told(const ListingOptions& options);
[[nodiscard]] std::span<const std::string_view> node_states();
/// Throws Error{usage} for an unknown state, and for a format, a field or a sort key that there is not.
void check_node_state_listing(const ResourceChoice& choice, const ListingOptions& options);

/// The drained nodes, a row for those of the same time and reason. Throws as list_node_states.
[[nodiscard]] std::string list_drains(const request::ResourceUse& use, const ResourceChoice& choice,
                                      const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> drain_formats_told(const ListingOptions& options);
void check_drain_listing(const ListingOptions& options);

}  // namespace fq::cli
