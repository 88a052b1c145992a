#include "store/rocks/base_file_system.h"

namespace fq::store::rocks {

std::shared_ptr<rocksdb::FileSystem> base_file_system() {
  return rocksdb::FileSystem::Default();
}

}  // namespace fq::store::rocks
