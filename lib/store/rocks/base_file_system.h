// What the store's file system stands on (file_system.h): the operating system's files, except in tests,
// which link their own to see what a power failure leaves.

#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace fq::store::rocks {

[[nodiscard]] std::shared_ptr<rocksdb::FileSystem> base_file_system();

}  // namespace fq::store::rocks
