// Whether a store may be used: by this user, on this machine, in this place. What may not is refused with one
// clear line before anything is changed.

#pragma once

#include <string>
#include <string_view>

#include "store/reader.h"
#include "store/transaction.h"

namespace fq::manager {

/// Where a machine has the store that all of its users mean, if it has the directory.
inline constexpr std::string_view kSystemStore = "/var/lib/fq";

/// Whether there is a store at `path`, be it damaged.
[[nodiscard]] bool store_exists(const std::string& path);
/// Whether there is none, and the caller may make one: nothing is there, or a directory of the caller's.
[[nodiscard]] bool is_free(const std::string& path);

/// Throws Error that says why the store cannot be used: missing, not readable, of another user, writable by
/// others, on a network file system, a link in place of one of its files.
void check_store(const std::string& path);

/// Throws Error{unavailable} when `path` lies on a network file system, or will once it is made.
void refuse_network_file_system(const std::string& path);

/// What tells a database directory from a copy of it, also after a restart of the machine: `INODE BIRTH`, the
/// second in nanoseconds since the epoch, 0 where the file system does not know it. A rename changes neither.
[[nodiscard]] std::string place_of(const std::string& database_directory);

/// Whether the store lies elsewhere than where it was last written: a copy.
[[nodiscard]] bool is_copy(const std::string& path, const store::Reader& reader);
/// Throws Error{unavailable} when the store was made on another machine.
void require_own_machine(const std::string& path, const store::Reader& reader);
/// The same, and when it is a copy of one and jobs live that it knows as running: its repair would end them.
void require_own_store(const std::string& path, const store::Reader& reader);
/// Notes where the store is, if that has changed. REQUIRES require_own_store.
void record_place(const std::string& path, store::Transaction& transaction);

}  // namespace fq::manager
