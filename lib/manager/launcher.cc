#include "manager/launcher.h"

#include <string>
#include <vector>

#include "exec/detach.h"
#include "exec/find_program.h"
#include "exec/waker.h"

namespace fq::manager {

void ProcessLauncher::start_shell(const exec::JobFiles& files, const exec::LaunchPlan& plan, FileLock alive) {
  exec::start_shell(files, plan, std::move(alive));
}

void ProcessLauncher::start_waker(const std::string& store, bool clean) {
  exec::start_waker(store, clean);
}

void ProcessLauncher::start_compaction(const std::string& store) {
  const std::vector<std::string> arguments{"fq-tick", "--compact", "--store", store};
  exec::start_detached(exec::find_program("fq-tick"), arguments);
}

}  // namespace fq::manager
