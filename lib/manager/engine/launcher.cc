#include "manager/engine/launcher.h"

#include <string>
#include <vector>

#include "meeting/enclosure.h"
#include "meeting/waker.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

namespace fq::manager {

void ProcessLauncher::start_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                  FileLock alive) {
  meeting::start_shell(files, plan, std::move(alive));
}

void ProcessLauncher::start_waker(const std::string& store, bool clean) {
  meeting::start_waker(store, clean);
}

void ProcessLauncher::start_compaction(const std::string& store) {
  const std::vector<std::string> arguments{"fq-tick", "--compact", "--store", store};
  process::start_detached(process::find_program("fq-tick"), arguments, -1,
                          meeting::enclosing_environment(store));
}

}  // namespace fq::manager
