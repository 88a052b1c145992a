// What a user may have of a store that users share (document/config/config_access.h): looked at before
// anything is added. What ends jobs adds nothing that is looked at.

#pragma once

#include <cstdint>
#include <optional>

#include <sys/resource.h>

#include "base/file_lock.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Whether the caller is held to shares: in a shared store, who is neither its owner nor an operator. To be
/// called from inside with_names, or with the names known.
[[nodiscard]] bool has_share(Change& change);

/// The file of a lock of the session's caller, by which what this one has at once is bounded; nothing where
/// the caller cannot be held to shares, as root, and in a store of one's own.
[[nodiscard]] std::optional<std::string> share_lock_path(const Session& session, std::string_view suffix);

/// Throws Error{refused} where so many more jobs would be more than the caller may have pending, or its jobs
/// have as many bytes as they may, or the disk has no more than is left for the ends of jobs. To be called
/// like that, before anything was changed.
void require_share(Change& change, std::uint64_t more_jobs = 0);

/// The shares of the session's caller; none where it is held to none.
[[nodiscard]] std::optional<document::Shares> shares_of(const Session& session);

/// While there is one, a process that works for somebody else than the owner of a shared store ends when it
/// takes more processor time than is configured, by SIGXCPU and with the session's last words.
class ProcessorTime {
 public:
  ProcessorTime(const Session& session, const store::Reader& reader);
  ~ProcessorTime();
  ProcessorTime(const ProcessorTime&) = delete;
  ProcessorTime& operator=(const ProcessorTime&) = delete;

 private:
  std::optional<rlimit> before_;
};

/// Waits until of the caller's commands this one may wait for the store's lock, where the caller is held to
/// shares: one of each user does, so that users have the lock in turn, however many commands each has. Let go
/// of it once the lock is held. Throws Error{timeout} after the session's.
[[nodiscard]] std::optional<FileLock> await_turn(const Session& session);

/// Waits for one of the few places in which the caller's processes read the store at once, where the caller
/// is held to shares: so that a user who asks for much at once takes a part of the processors, and others,
/// and whoever has the lock, the rest. Throws Error{timeout} after the session's.
[[nodiscard]] std::optional<PlaceLock> await_reading(const Session& session);

/// How many bytes a job of the user may still write into the store; nothing where there is no limit.
[[nodiscard]] std::optional<std::uint64_t> bytes_left(Change& change, std::uint32_t userid);

}  // namespace fq::manager
