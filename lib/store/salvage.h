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

namespace fq::store {

/// Runs `query` over what can be read of the database of a store, in a directory of its own in $TMPDIR, which
/// is removed again. Returns what could not be read, a line each. Throws Error where nothing can.
std::vector<std::string> read_damaged(const std::string& store_directory,
                                      const std::function<void(const Reader&)>& query);

/// Replaces the store's database by one of what can be read of it, and keeps the old one as it is in
/// `STORE/damaged`, or `STORE/damaged.2` and so on. Returns what was done and what could not be read, a line
/// each. What is derived in it may contradict what it is derived from; its place is a new one. REQUIRES the
/// store lock. Throws Error, and has changed nothing then.
std::vector<std::string> repair_database(const std::string& store_directory);

}  // namespace fq::store
