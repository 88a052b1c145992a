// --add-file: files that a jobspec takes along (RFC 37), which the job finds in its temporary directory.
//
//   [NAME[:PERMS]=]FILE      the file; NAME is that of FILE where none is given
//   NAME[:PERMS]=TEXT        where TEXT has the end of a line, also written as \\n: the text itself
//
// PERMS are octal. Without them a text has 0600, a file what it has.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/frame/input.h"

namespace fq::cli {

/// The most bytes that all of them may have.
inline constexpr std::size_t kMaxAddedBytes = 2U << 20U;

/// Adds them to `files`, an object or null: `attributes.system.files`. Throws Error{usage} for a name that is
/// there already or cannot be one, and for what is no file.
void add_files(nlohmann::json& files, const std::vector<std::string>& texts, const ReadInput& read);

}  // namespace fq::cli
