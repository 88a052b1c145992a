// Directories that are written down before they are made: who dies in between leaves none that nobody knows
// of.

#pragma once

#include <functional>
#include <string>

namespace fq::process {

/// Told the path of a directory that is about to be made.
using RecordPath = std::function<void(const std::string& path)>;

/// Makes a new directory of mode 0700 whose path is `stem` and six characters that nobody can guess, and
/// returns that; empty, with errno set, where it cannot be made. `record` may be empty.
[[nodiscard]] std::string make_recorded_directory(const std::string& stem, const RecordPath& record);

}  // namespace fq::process
