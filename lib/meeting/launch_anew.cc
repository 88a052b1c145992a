#include "meeting/launch_anew.h"

#include <string>
#include <vector>

#include <fcntl.h>

#include "meeting/liveness.h"
#include "process/start/detach.h"

namespace fq::meeting {

void launch_anew(const JobFiles& files, const LaunchPlan& plan) {
  prepare_guest(files, plan, plan.time);
  const std::vector<std::string> arguments{"fq-shell", "--store", files.store(),
                                           notation::to_dothex(plan.id)};
  if (::fcntl(kAliveFd, F_SETFD, 0) != 0) return;
  process::run_anew(arguments);
  ::fcntl(kAliveFd, F_SETFD, FD_CLOEXEC);
}

}  // namespace fq::meeting
