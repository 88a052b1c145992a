// The resources of this host as an inventory (RFC 20): cores by hwloc, numbered as Flux numbers them, and
// GPUs. Only the part of the machine that this process may use counts, unless its affinity is not to matter.
// The program fq-topology is asked, for only few commands look at hardware (hwloc_topology.h).

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "document/resource/resource_set.h"

namespace fq::process {

/// This host's name, without its domain.
[[nodiscard]] std::string host_name();

/// One node, rank 0, of this host. GPUs are those that hwloc knows, else /dev/nvidia[0-9]*, else DRM render
/// nodes; `gpus` replaces the count found. Unless `restricted`, cores count to which this process is not
/// bound but that its control group allows. Where hwloc knows, `scheduling` says which cores are near which
/// GPU (document/resource/core_locality.h). Throws Error when the topology cannot be read.
[[nodiscard]] document::ResourceSet probe_resources(std::optional<std::uint32_t> gpus = std::nullopt,
                                                    bool restricted = true);

/// The same for the machine whose topology hwloc wrote as `xml`, but on this host; GPUs are those that hwloc
/// knew there. Throws Error{invalid} when it is no such text.
[[nodiscard]] document::ResourceSet read_topology(const std::string& xml);

/// `nodes` nodes named node0, node1, … with `cores` cores and `gpus` GPUs each, for trying things out.
/// REQUIRES at least one node and one core.
[[nodiscard]] document::ResourceSet make_test_nodes(std::uint32_t nodes, std::uint32_t cores,
                                                    std::uint32_t gpus);

}  // namespace fq::process
