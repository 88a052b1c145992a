// A resource set on standard output, as R (RFC 20).

#pragma once

#include <string_view>

#include "document/resource/resource_set.h"

namespace fq::cli {

/// Prints R. RFC 20 has no R without targets, and no target without cores: what has none is left out, which
/// `tool` says on standard error. Throws Error{refused} where nothing is left.
void print_resources(std::string_view tool, const document::ResourceSet& set);

}  // namespace fq::cli
