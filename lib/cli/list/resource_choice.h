// What of the resources is looked at: the options -s, -q and -i of `fq resource`.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/option_parser.h"
#include "document/resource/resource_set.h"
#include "request/nodes.h"

namespace fq::cli {

/// Empty: all.
struct ResourceChoice {
  std::vector<std::string> states, queues;
  std::string nodes;  ///< ranks, or a list of hosts
  /// Whether rows of no nodes are shown; without it as each listing does by itself.
  std::optional<bool> empty_rows;
};

/// Adds the options -q and -i; -s, with `states_help`, in front of them.
void add_queue_and_node_options(OptionParser& parser, ResourceChoice& choice);
void add_resource_options(OptionParser& parser, ResourceChoice& choice, const std::string& states_help);

/// Adds --skip-empty and --no-skip-empty.
void add_empty_row_options(OptionParser& parser, ResourceChoice& choice);

/// `valid states: free, allocated`.
[[nodiscard]] std::string states_text(std::span<const std::string_view> known);
/// Whether the states are asked for: `-s help`.
[[nodiscard]] bool asks_for_states(const ResourceChoice& choice);
/// Throws Error{usage} for a state that is not one of `known`.
void check_states(const ResourceChoice& choice, std::span<const std::string_view> known);

/// The ranks, of nodes that are excluded too, which the queues and nodes of `choice` leave. Throws
/// Error{not_found} for queues and nodes that there are not.
[[nodiscard]] notation::Idset chosen_ranks(const request::ResourceUse& use, const ResourceChoice& choice);

/// The ranks of nodes that get no new jobs.
[[nodiscard]] notation::Idset ranks_out_of_use(const request::ResourceUse& use);

/// The nodes of `set` without properties, of which each queue may have given its own: parts of it are to be
/// taken often.
[[nodiscard]] document::ResourceSet without_properties(const document::ResourceSet& set);

}  // namespace fq::cli
