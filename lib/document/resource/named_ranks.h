// Nodes as people name them.

#pragma once

#include <string>

#include "document/resource/resource_set.h"
#include "notation/idset.h"

namespace fq::document {

/// The ranks of nodes that are named by ranks (`0-3`, RFC 22) or hosts (`node[0-3]`, RFC 29). Throws
/// Error{not_found} for nodes that there are not, Error{usage} where none are named.
[[nodiscard]] notation::Idset named_ranks(const ResourceSet& inventory, const std::string& text);

}  // namespace fq::document
