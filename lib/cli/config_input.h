// A configuration as commands are given it: a file, standard input, or a directory of files.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document/config_source.h"
#include "document/resource_set.h"

namespace fq::cli {

/// The file, standard input for `-`, or the *.toml of a directory by name. Throws Error.
[[nodiscard]] std::vector<document::ConfigSource::File> read_config_files(const std::string& path);

/// The nodes that a configuration read from `path` gives (document/config_resource.h); a file that it names
/// is looked for beside it. Where this machine is among them it is compared with what it has, unless the
/// configuration forbids. Throws Error.
[[nodiscard]] std::optional<document::ResourceSet> read_config_nodes(const document::ConfigSource& source,
                                                                     const std::string& path);

}  // namespace fq::cli
