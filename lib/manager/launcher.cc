#include "manager/launcher.h"

#include "exec/waker.h"

namespace fq::manager {

void ProcessLauncher::start_shell(const exec::JobFiles& files, const exec::LaunchPlan& plan, FileLock alive) {
  exec::start_shell(files, plan, std::move(alive));
}

void ProcessLauncher::start_waker(const std::string& store) {
  exec::start_waker(store);
}

}  // namespace fq::manager
