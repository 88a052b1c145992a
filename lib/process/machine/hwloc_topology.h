// What hwloc tells of a machine. For the program fq-topology alone: hwloc, what it loads itself (udev,
// drivers of GPUs) and their faults stay out of all others, which ask that program (topology.h).

#pragma once

#include <string>

#include "document/resource/resource_set.h"

namespace fq::process {

/// This host as one node, rank 0. GPUs are those that hwloc knows, else /dev/nvidia[0-9]*, else DRM render
/// nodes. Unless `restricted`, cores count to which this process is not bound but that its control group
/// allows. Where hwloc knows, `scheduling` says which cores are near which GPU
/// (document/resource/core_locality.h). Throws Error{io} when the topology cannot be read.
[[nodiscard]] document::ResourceSet hwloc_resources(bool restricted);

/// The same for the machine whose topology hwloc wrote as `xml`, but on this host; GPUs are those that hwloc
/// knew there. Throws Error{invalid} when it is no such text.
[[nodiscard]] document::ResourceSet hwloc_resources_in(const std::string& xml);

}  // namespace fq::process
