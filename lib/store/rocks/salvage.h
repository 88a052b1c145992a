// What can still be read of a damaged database.
//
// Everything is done with a copy: tables are linked, the few other files copied. Frames of the journal behind
// one that is not what was written are read all the same. Where the manifest does not say what tables there
// are, the tables themselves do (RocksDB's repair). Then each family is read from its first key on, and from
// its last one back, as far as that goes.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/reader.h"
#include "store/rocks/database.h"

namespace fq::store::rocks {

/// Gets what can be read of a database, and what could not be, a line each.
using DamagedQuery = std::function<void(const Reader&, const std::vector<std::string>& lost)>;
/// Runs `query` over the database of a store, copied into a directory of its own in $TMPDIR, which is removed
/// again; by a later call where this process is killed. Throws Error where nothing can be read, and what
/// `query` throws.
void read_damaged(const std::string& store_directory, const DamagedQuery& query);

struct Mended {
  bool replaced = false;          ///< false: it was sound, and is as it was
  std::vector<std::string> done;  ///< and what could not be read, a line each
  bool records_lost = false;      ///< something may be missing of what is kept beside jobs
};

/// Replaces the store's database, where it is damaged, by one of what can be read of it, and keeps the old
/// one as it is in `STORE/damaged`, or `STORE/damaged.2` and so on. What is derived in it may contradict what
/// it is derived from. `prepare` gets it and its directory, which a rename brings to its place, before that:
/// what it throws leaves the old one there. REQUIRES the store lock. Throws Error, and the old one is there
/// then.
[[nodiscard]] Mended repair_database(
    const std::string& store_directory,
    const std::function<void(Transaction& mended, const std::string& directory)>& prepare);

}  // namespace fq::store::rocks
