// Writing all that is true in a store to a stream, and making a store of it.
//
// The state that is written is one committed state. Under the lock the files that it is in are linked into a
// directory beside them, which takes milliseconds; what is written then is read from there, while the store
// is used.

#pragma once

#include <cstdint>
#include <string>

#include "manager/engine/session.h"

namespace fq::manager {

struct DumpCounts {
  std::uint64_t entries = 0;
  std::uint64_t files = 0;  ///< guest files that are kept beside the database
};

/// Writes the store to `fd`, which messages call `name`. Throws Error{permission} unless the caller is the
/// owner, Error{refused} while another dump is made, Error{io}.
DumpCounts dump(const Session& session, int fd, const std::string& name);

/// Removes what a dump has left that was killed; nothing while one is made.
void clear_killed_dump(const std::string& store);

struct RestoreRequest {
  std::string store;  ///< where; the directory and its parents are made
  int fd = -1;        ///< what `dump` wrote
  std::string name;   ///< as messages call it
};

/// Makes the store, of the present format, on this machine and of the caller. Nothing is made of a dump that
/// is damaged. Jobs that ran are still to be made to fail in it: manager/engine/adopt. Throws Error as
/// manager/site/initialize, and Error{invalid} for what is no dump, is damaged, or was made by a newer fq.
DumpCounts restore(const RestoreRequest& request, const Credential& caller);
/// Tells of it in the log of the store.
void note_restore(const Session& session);

}  // namespace fq::manager
