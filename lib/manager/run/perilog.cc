#include "manager/run/perilog.h"

#include "base/text.h"
#include "job/events.h"

namespace fq::manager {

using document::PerilogConfig;
using document::PerilogKind;

const PerilogConfig& perilog_of(Change& change, const job::Job& job, PerilogKind kind) {
  static const PerilogConfig kNone;
  if (change.session().store.empty() || change.session().adopts) return kNone;
  const document::QueueConfig* queue = change.queues().find(job.queue);
  if (queue == nullptr) return kNone;
  return queue->policy.perilog(kind);
}

std::optional<document::Event> perilog_start(Change& change, const job::Job& job, PerilogKind kind) {
  const PerilogConfig& config = perilog_of(change, job, kind);
  if (config.command.empty()) return std::nullopt;
  const std::string description = join(config.command, " ");
  return kind == PerilogKind::prolog ? job::events::prolog_start(change.now(), description)
                                     : job::events::epilog_start(change.now(), description);
}

std::optional<meeting::PerilogPlan> perilog_plan(Change& change, const job::Job& job, PerilogKind kind) {
  if ((kind == PerilogKind::prolog ? job.prologs : job.epilogs) == 0) return std::nullopt;
  const PerilogConfig& config = perilog_of(change, job, kind);
  return meeting::PerilogPlan{config.command, config.timeout_s, config.kill_timeout_s};
}

}  // namespace fq::manager
