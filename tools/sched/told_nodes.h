// A job manager that knows what it was told and no more: nodes, the jobs that hold some of them, and the
// jobspecs of those that wait.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sched/pool.h"
#include "sched/scheduler.h"
#include "sched/timeline.h"

namespace fq::tools {

class ToldNodes final : public sched::JobManager {
 public:
  /// `now`: seconds since the epoch. Throws Error{internal} for jobs that hold what is not there.
  ToldNodes(document::ResourceSet inventory, std::vector<sched::HelloJob> jobs, double now);

  [[nodiscard]] sched::Pool& pool() override { return pool_; }
  [[nodiscard]] sched::Timeline& timeline() override { return *timeline_; }
  void for_each_job(const std::function<void(const sched::HelloJob&)>& visit) const override;
  [[nodiscard]] std::string jobspec(notation::JobId id) const override { return jobspecs.at(id); }

  std::map<notation::JobId, std::string> jobspecs;

 private:
  std::vector<sched::HelloJob> jobs_;
  sched::Pool pool_;
  std::vector<sched::AllocationEnd> ends_;
  std::size_t next_end_ = 0;
  std::optional<sched::Timeline> timeline_;
};

}  // namespace fq::tools
