// Nodes that are given by their number: `4:8:2` for four of eight cores and two GPUs.

#pragma once

#include <string_view>

#include "document/resource/resource_set.h"

namespace fq::cli {

/// The value of `option`: N:CORES or N:CORES:GPUS. Throws Error{usage}.
[[nodiscard]] document::ResourceSet pretended_nodes(std::string_view text, std::string_view option);

}  // namespace fq::cli
