// Whole-file reads and writes, and directories. Every descriptor is opened close-on-exec; every failure
// throws Error with the path and the system's reason.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace fq {

[[nodiscard]] std::string read_file(const std::string& path);
/// The file's bytes, or nothing when it (or its directory) does not exist, or is of a process in /proc that
/// has ended since it was opened.
[[nodiscard]] std::optional<std::string> read_file_if_exists(const std::string& path);

/// All bytes from the descriptor's position to its end; `path` names it in errors. Throws Error{invalid} for
/// more than `most`.
[[nodiscard]] std::string read_all(int fd, const std::string& path,
                                   std::size_t most = std::numeric_limits<std::size_t>::max());

/// Creates or truncates `path` with mode `mode` and writes `bytes`; not synced.
void write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
/// Replaces `path` so that readers see the old bytes or the new ones: temporary file, sync, rename, sync of
/// the directory.
void replace_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);
/// Makes a file's bytes durable.
void sync_file(const std::string& path);
/// Makes the names in a directory durable.
void sync_directory(const std::string& path);
/// Renames, and syncs the directory that holds both names.
void rename_synced(const std::string& from, const std::string& to);
/// Writes all of `bytes` at the descriptor's position, however often the system writes less.
void write_all(int fd, std::string_view bytes, std::string_view path);

/// open(2) with O_CLOEXEC added.
[[nodiscard]] UniqueFd open_file(const std::string& path, int flags, mode_t mode = 0600);
/// How many descriptors this process may open besides those that it has.
[[nodiscard]] std::size_t free_descriptors();
/// Creates one directory; one that is there already is left as it is.
void make_directory(const std::string& path, mode_t mode = 0700);
/// The names in a directory but `.` and `..`, in no order; nothing when it cannot be opened.
[[nodiscard]] std::optional<std::vector<std::string>> names_in(const std::string& directory);
[[nodiscard]] bool exists(const std::string& path);
/// When a file was written last, in ns since the epoch by the file system's clock; 0 where it cannot be told.
[[nodiscard]] std::int64_t modification_time_ns(const std::string& path);
/// Removes `path` and what is below it, the caller's directories whatever their modes; links are removed, not
/// followed. Missing is fine.
void remove_tree(const std::string& path);

}  // namespace fq
