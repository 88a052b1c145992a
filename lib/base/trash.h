// What is out of use goes away at once and is freed later, when nobody waits: to free a synced file takes a
// millisecond and more where the file system discards its blocks.

#pragma once

#include <functional>
#include <string>

namespace fq {

/// Moves a file or a directory into the directory `trash` of the same file system, where it replaces a file
/// of its name. Returns false, and leaves it, where that cannot be done, as when there is no such directory.
[[nodiscard]] bool move_to_trash(const std::string& path, const std::string& trash);

/// Gives the file one more name there, so that whoever replaces or removes `path` does not free it. Nothing
/// happens where that cannot be done.
void link_in_trash(const std::string& path, const std::string& trash);

/// Frees what is in the directory at once, but for what cannot be removed. What somebody still reads, or has by
/// another name, stays whole for them. Returns whether anything was freed.
bool empty_trash(const std::string& trash);

/// The same, unless another process is at it, with what comes until that is done. Calls `pause` between two
/// names, and in large files between two MiB: while blocks are freed, the syncs of others take longer.
void empty_trash_slowly(const std::string& trash, const std::function<void()>& pause);

}  // namespace fq
