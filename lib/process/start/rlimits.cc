#include "process/start/rlimits.h"

#include <algorithm>

#include <fmt/core.h>
#include <sys/resource.h>

namespace fq::process {
namespace {

void set_soft_limit_of_files(rlim_t soft) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(soft, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

FittedLimits fit_limits(std::span<const document::SoftLimit> wanted) {
  FittedLimits fitted;
  for (const document::SoftLimit& limit : wanted) {
    rlimit current{};
    if (::getrlimit(static_cast<__rlimit_resource>(limit.resource), &current) != 0) continue;
    const bool infinite = limit.value == document::SoftLimit::kInfinity;
    rlim_t soft = infinite ? RLIM_INFINITY : static_cast<rlim_t>(limit.value);
    if (current.rlim_max != RLIM_INFINITY && soft > current.rlim_max) {
      if (!infinite) {
        fitted.warnings.push_back(fmt::format("limit {} of {} exceeds the hard limit, which is used: {}",
                                              limit.name, limit.value, current.rlim_max));
      }
      soft = current.rlim_max;
    }
    fitted.limits.push_back({limit.resource, soft, current.rlim_max});
  }
  return fitted;
}

AllDescriptors::AllDescriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) previous_soft_ = limit.rlim_cur;
  set_soft_limit_of_files(limit.rlim_max);
}

AllDescriptors::~AllDescriptors() {
  set_soft_limit_of_files(previous_soft_);
}

}  // namespace fq::process
