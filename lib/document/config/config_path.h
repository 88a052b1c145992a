// Keys that lead to a value of a configuration, as errors say them.

#pragma once

#include <string>

#include "document/config/config_source.h"

namespace fq::document {

/// `queues.debug.policy`, `resource.config[0].hosts`.
[[nodiscard]] std::string join_path(const ConfigPath& path);

}  // namespace fq::document
