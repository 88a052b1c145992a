#include "store/rocks/rocksdb_start.h"

extern "C" {

using Initialiser = void (*)(int, char**, char**);
// What the linker calls begin and end of the section; null in programs that have none.
// NOLINTBEGIN(bugprone-reserved-identifier)
[[gnu::weak]] extern const Initialiser __start_fq_rocksdb_init[];
[[gnu::weak]] extern const Initialiser __stop_fq_rocksdb_init[];
// NOLINTEND(bugprone-reserved-identifier)
}

namespace fq::store::rocks {

void start_rocksdb() {
  [[maybe_unused]] static const bool started = [] {
    for (const Initialiser* each = __start_fq_rocksdb_init; each != __stop_fq_rocksdb_init; ++each) {
      (*each)(0, nullptr, nullptr);
    }
    return true;
  }();
}

}  // namespace fq::store::rocks
