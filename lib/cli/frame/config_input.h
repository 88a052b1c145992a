// A configuration as commands are given it: a file, standard input, or a directory of files.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "document/config/config_source.h"
#include "document/resource/resource_set.h"

namespace fq::cli {

/// The file, standard input for `-`, or the *.toml of a directory by name. Throws Error.
[[nodiscard]] std::vector<document::ConfigSource::File> read_config_files(const std::string& path);

/// The nodes that a configuration read from `path` gives (document/config/config_resource.h), as it gives
/// them; a file that it names is looked for beside it. Throws Error.
[[nodiscard]] std::optional<document::ResourceSet> written_nodes(const document::ConfigSource& source,
                                                                 const std::string& path);

/// The same. Where this machine is among them it is compared with what it has, unless the
/// configuration forbids. Throws Error.
[[nodiscard]] std::optional<document::ResourceSet> read_config_nodes(const document::ConfigSource& source,
                                                                     const std::string& path);

/// An error, naming file, line and key, for each user and group that a policy of `source` lets in and this
/// machine does not know, or knows by a name where the policy has its number: it may still come, as from
/// another machine's directory. REQUIRES that `source` was checked.
[[nodiscard]] std::vector<Error> unknown_names(const document::ConfigSource& source);

}  // namespace fq::cli
