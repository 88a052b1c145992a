// Resources by state, as `fq resource list`, `info` and `R` show them. Drained nodes are down; a node that is
// taken in part has two states.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/common_options.h"
#include "cli/list/resource_choice.h"
#include "request/nodes.h"

namespace fq::cli {

/// Resources in the states free, allocated and down, or those that are chosen: up, which is free and
/// allocated, and all of them. A row for those that are alike in what of state, queue and properties the
/// format shows. Throws Error{not_found} as chosen_ranks does. REQUIRES states that check_resource_states
/// knows.
[[nodiscard]] std::string list_resources(const request::ResourceUse& use, const ResourceChoice& choice,
                                         const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> resource_formats_told(const ListingOptions& options);
/// Throws Error{usage} as check_resource_states, and for a format, a field or a sort key that there is not.
void check_resource_listing(const ResourceChoice& choice, const ListingOptions& options);

[[nodiscard]] std::span<const std::string_view> resource_states();
/// Throws Error{usage} for an unknown state.
void check_resource_states(const ResourceChoice& choice);

/// `4 Nodes, 16 Cores, 4 GPUs`, a line, of what is chosen.
[[nodiscard]] std::string resource_summary(const request::ResourceUse& use, const ResourceChoice& choice);

/// What is chosen, with the properties that it has.
[[nodiscard]] document::ResourceSet chosen_resources(const request::ResourceUse& use,
                                                     const ResourceChoice& choice);

/// What is to be said of nodes that leave, a line.
[[nodiscard]] std::string leaving_words(const std::string& nodelist);

}  // namespace fq::cli
