// Bringing the store of an older fq to the present format.

#pragma once

#include <cstdint>
#include <functional>

#include "store/transaction.h"

namespace fq::manager {

/// Told how many of the jobs are done: first of none, last of all. Must not block.
using MigrationNotice = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Makes all that is derived anew, where keys or records were others: the records of jobs, indexes, classes,
/// counters, the pool, the compiled configuration. In portions, each committed; one that is cut off is begun
/// again by the next command, and older programs refuse the store from the first on: there is no journal yet.
/// REQUIRES the store lock, an empty transaction, and a store whose format is older. Throws
/// Error{unavailable} for one that cannot be brought forward: nothing true was changed then.
void migrate(store::Transaction& transaction, const MigrationNotice& notice);
/// The same for a store of this format in which what is derived is damaged; REQUIRES that each job's
/// documents can be replayed and what running jobs hold is free. Cut off, the next command goes on with it.
void make_derived_anew(store::Transaction& transaction, const MigrationNotice& notice);

}  // namespace fq::manager
