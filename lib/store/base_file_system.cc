#include "store/base_file_system.h"

namespace fq::store {

std::shared_ptr<rocksdb::FileSystem> base_file_system() {
  return rocksdb::FileSystem::Default();
}

}  // namespace fq::store
