// The price of the engine alone: opens a database as fq does, writes one key, syncs, closes. What fq adds to
// it is measured against this program in the same run.

#include <cstdio>
#include <exception>

#include "store/rocks/database.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    auto database = fq::store::rocks::Database::open(argv[1], /*create=*/true);
    fq::store::rocks::Transaction transaction = database.begin();
    transaction.put(fq::store::Family::instance, "key", "value");
    transaction.commit();
    database.close();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bare_rocksdb: %s\n", failure.what());
    return 1;
  }
}
