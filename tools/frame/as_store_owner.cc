#include "frame/as_store_owner.h"

#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/run_tool.h"
#include "manager/engine/store_check.h"
#include "manager/site/initialize.h"
#include "process/start/as_user.h"

namespace fq::tools {

int as_store_owner(std::string_view command, const cli::CommonOptions& options,
                   const std::function<int()>& work) {
  struct stat status {};
  const bool is_others = ::geteuid() == 0 && !options.host &&
                         manager::locate_store(options.store).path == manager::kSystemStore &&
                         ::lstat(std::string{manager::kSystemStore}.c_str(), &status) == 0 &&
                         status.st_uid != 0;
  if (!is_others) return work();
  return process::do_as_user(
      FQ_USER, [&] { return cli::run_tool(command, 0, nullptr, [&](int, char**) { return work(); }); });
}

}  // namespace fq::tools
