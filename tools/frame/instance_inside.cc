#include "frame/instance_inside.h"

#include "manager/engine/store_check.h"

namespace fq::tools {

bool may_be_there(const door::Door& door, const cli::CommonOptions& options, const fq::job::Job& job,
                  const std::string& store) {
  const bool looks = !options.host && job.userid == door.userid();
  return !looks || manager::store_exists(store);
}

}  // namespace fq::tools
