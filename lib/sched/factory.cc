#include "sched/factory.h"

#include "base/error.h"
#include "base/text.h"
#include "sched/fcfs.h"

namespace fq::sched {

std::vector<std::string> scheduler_names() {
  return {"fcfs"};
}

std::unique_ptr<Scheduler> make_scheduler(std::string_view name) {
  if (name == "fcfs") return std::make_unique<Fcfs>();
  const std::vector<std::string> names = scheduler_names();
  const std::string known = join(names, ", ");
  throw Error{Kind::invalid, "unknown scheduler " + quote(name) + ": expected one of " + known,
              did_you_mean(name, names)};
}

}  // namespace fq::sched
