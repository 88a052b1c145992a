// Files that are root's alone: whatever else stands in their place is refused.

#pragma once

#include <string>

#include "fd.h"

namespace fq::imp {

enum class Reader { root, anybody };

/// What is in a regular file of root's that nobody else may write, in a directory of the same kind. Links are
/// not followed. Throws Refused.
[[nodiscard]] std::string read_root_file(const std::string& path, Reader reader);

/// A directory of root's that nobody else may look into, made where it is missing. Throws Refused, Failed.
[[nodiscard]] Fd open_root_directory(const std::string& path);
[[nodiscard]] Fd open_root_directory(int parent, const std::string& name, const std::string& path);

/// A regular file of root's there, with an exclusive lock; made where it is missing. Throws Refused, Failed.
[[nodiscard]] Fd open_locked(int directory, const std::string& name);

}  // namespace fq::imp
