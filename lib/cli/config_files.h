// Where the text of a configuration comes from.

#pragma once

#include <string>

#include "document/config_source.h"

namespace fq::cli {

/// The file, standard input for `-`, or the *.toml of a directory by name. Throws Error.
[[nodiscard]] document::ConfigSource read_config(const std::string& path);

}  // namespace fq::cli
