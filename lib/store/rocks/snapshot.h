// Reading without the lock: the answer of a query over one committed state of the store.
//
// Opening a database that others write can meet files that vanish and states that mix. So a reader stamps the
// store (text of CURRENT, size of the MANIFEST it names, names of the logs that are files) before it opens
// and after the query; when they differ, or anything failed, the whole query runs again, in the end over
// files that were all opened under the shared lock. The journal is read at once, so that commits that come to
// it meanwhile do not matter: they are all there or not.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "store/reader.h"

namespace fq::store::rocks {

/// How often a query had to be tried, for tests and measurements.
struct SnapshotStatistics {
  int tries = 0;
  bool locked = false;
};

/// Runs `query` over a state that is at least as new as the call, and never under the lock. It may run more
/// than once: it must build its result afresh each time and print nothing. Throws Error{not_found} when there
/// is no database, DamageError (store/rocks/damage.h) when under the lock it is not what was written,
/// Error{io} when the system cannot read it then, Error{timeout} when the lock is not to be had within
/// `lock_timeout_s`; an Error that the query throws over a consistent state is passed on.
SnapshotStatistics read_snapshot(const std::string& store_directory, double lock_timeout_s,
                                 const std::function<void(const Reader&)>& query);

/// The same state, to be read for as long as it is kept, whatever becomes of the store meanwhile: all its
/// tables are open. Throws as read_snapshot.
[[nodiscard]] std::unique_ptr<const Reader> open_snapshot(const std::string& store_directory,
                                                          double lock_timeout_s);

/// The number of a transaction that is in every state read from now on, mostly the last one; 0: not known. It
/// costs next to nothing, and so serves to see whether anything has been changed.
[[nodiscard]] std::uint64_t acknowledged_transaction(const std::string& store_directory) noexcept;

/// Runs `query` once over the state that is there. REQUIRES the store lock. Throws Error where the database
/// cannot be opened.
void read_locked(const std::string& store_directory, const std::function<void(const Reader&)>& query);

}  // namespace fq::store::rocks
