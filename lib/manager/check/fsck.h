// The check of a whole store: replays every event log through job::apply and compares what it finds with
// everything that is stored as derived from it; compares the files of the store with what is recorded of
// them.

#pragma once

#include <string>
#include <vector>

#include "manager/check/check_jobs.h"
#include "manager/engine/session.h"
#include "store/reader.h"

namespace fq::manager {

/// One line for each thing in the database that does not fit; empty for a sound store.
[[nodiscard]] std::vector<std::string> check_whole_store(const store::Reader& reader);

struct FsckReply {
  std::uint64_t jobs = 0;
  std::uint64_t findings = 0;
};

/// Checks a store, its files included, and changes nothing. The lock is held while records are compared;
/// large files are read after it. In a shared store J of each job is verified. Throws Error where the store
/// may not be looked at: another's, a newer one.
FsckReply fsck(const Session& session, const Report& report);

}  // namespace fq::manager
