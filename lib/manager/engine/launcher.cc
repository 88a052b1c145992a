#include "manager/engine/launcher.h"

#include <string>
#include <vector>

#include "meeting/enclosure.h"
#include "meeting/waker.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

namespace fq::manager {
namespace {

void start_tick(const char* what, const std::string& store) {
  const std::vector<std::string> arguments{"fq-tick", what, "--store", store};
  process::start_detached(process::find_program("fq-tick"), arguments, {},
                          meeting::enclosing_environment(store));
}

}  // namespace

void ProcessLauncher::start_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                                  FileLock alive) {
  meeting::start_shell(files, plan, std::move(alive));
}

void ProcessLauncher::start_waker(const std::string& store, bool clean) {
  meeting::start_waker(store, clean);
}

void ProcessLauncher::start_compaction(const std::string& store) {
  start_tick("--compact", store);
}

void ProcessLauncher::start_consultation(const std::string& store) {
  start_tick("--consult", store);
}

}  // namespace fq::manager
