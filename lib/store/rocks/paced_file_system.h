// A file system for work that nobody waits for: it pauses between reads.
//
// A thread of the lowest priority still keeps its processor until the kernel's next tick, 4 ms on many
// machines, whoever wakes up meanwhile, where the kernel preempts lazily or not at all. One that sleeps for a
// moment now and then lets others go on within its turn.

#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace fq::store::rocks {

/// `files`, but a thread that reads a table through it pauses at the next read when it has worked for half a
/// millisecond, and for as long as somebody has the right of way (store/rocks/right_of_way.h) in the table's
/// directory.
[[nodiscard]] std::shared_ptr<rocksdb::FileSystem> paced(const std::shared_ptr<rocksdb::FileSystem>& files);

}  // namespace fq::store::rocks
