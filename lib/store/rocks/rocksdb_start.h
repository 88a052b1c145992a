// When RocksDB's own initialisers run: some hundred tables of names, options and their texts, a million
// instructions. Programs that are linked with fq_late_rocksdb (cmake/dependencies.cmake) have them in a
// section of their own, and run them when the first store is opened; so commands that open none, and job
// shells while their job runs, have not.

#pragma once

namespace fq::store::rocks {

/// To be called before anything of RocksDB is used; the first call does it. Does nothing in other programs,
/// in which it has been done before main.
void start_rocksdb();

}  // namespace fq::store::rocks
