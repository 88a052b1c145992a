// How much of a database is in its write-ahead logs.

#pragma once

#include <cstdint>

namespace fq::store::rocks {

/// What an opener would have to replay.
struct LogSize {
  std::uint64_t bytes = 0;
  int logs = 0;
};

}  // namespace fq::store::rocks
