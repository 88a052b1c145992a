#include "job/actions.h"

namespace fq::job {

std::optional<DueEvent> due_event(const Job& job) {
  switch (job.state) {
    case State::fresh:
      return job.t_submit > 0 ? std::optional{DueEvent::validate} : std::nullopt;
    case State::depend:
      return job.dependencies.empty() ? std::optional{DueEvent::depend} : std::nullopt;
    case State::priority:
      return DueEvent::priority;
    case State::cleanup:
      if (wants_shell(job)) return std::nullopt;
      return job.allocated ? DueEvent::free : DueEvent::clean;
    case State::sched:
    case State::run:
    case State::inactive:
      return std::nullopt;
  }
  return std::nullopt;
}

bool wants_resources(const Job& job) {
  return job.state == State::sched && job.urgency != kUrgencyHold;
}

bool wants_shell(const Job& job) {
  return (job.started && !job.finished) || job.prologs > 0 || job.epilogs > 0;
}

bool has_tasks(const Job& job) {
  return (job.started && !job.finished) || (job.state == State::run && job.prologs > 0);
}

bool wants_kill(const Job& job) {
  return job.state == State::cleanup && ((job.started && !job.finished) || job.prologs > 0);
}

}  // namespace fq::job
