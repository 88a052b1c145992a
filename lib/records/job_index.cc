#include "records/job_index.h"

#include <algorithm>

#include "document/jobspec/dependency.h"
#include "records/job_class.h"
#include "records/keys.h"

namespace fq::records {
namespace {

// The time by which jobs of a state are listed: when the state began for those that run or have ended.
double listing_time(const job::Job& job) {
  if (job.state == job::State::inactive) return job.t_inactive;
  return job::is_running(job.state) ? job.t_run : job.t_submit;
}

// When what a job holds is to come back: its time limit, or what is planned without one, and no later than it
// is taken back.
double allocation_end(const job::Job& job) {
  const double end = job.expiration > 0 ? job.expiration : job.t_run + document::kEndlessHold;
  return job.preemption == job::Preemption::none ? end : std::min(end, job.t_preempt);
}

void add_dependency(std::vector<std::string>& keys, const job::Job& job, const std::string& description) {
  const document::Dependency dependency = document::parse_description(description);
  switch (dependency.kind) {
    case document::DependencyKind::begin_time:
      keys.push_back(key::timer(dependency.begin_time, job.id));
      break;
    case document::DependencyKind::singleton:
      break;
    default:
      keys.push_back(key::dependant(dependency.job, job.id));
      break;
  }
}

}  // namespace

std::optional<std::string> named_key(const job::Job& job) {
  if (!job.named || !job::is_active(job.state)) return std::nullopt;
  return key::named(job.userid, job.name, waits_for_name(job), job.id);
}

bool waits_for_name(const job::Job& job) {
  const std::string singleton = document::describe({.kind = document::DependencyKind::singleton});
  return std::find(job.dependencies.begin(), job.dependencies.end(), singleton) != job.dependencies.end();
}

std::vector<std::string> index_keys(const job::Job& job, const JobAges& ages) {
  std::vector<std::string> keys;
  keys.push_back(key::user(job.userid, job.id));
  if (job.state == job::State::sched) {
    keys.push_back(key::pending(class_of(job).id, ages.waits_since(job), job.id));
  } else {
    keys.push_back(key::state(job.state, listing_time(job), job.id));
  }
  if (job.state == job::State::depend || job.state == job::State::fresh) {
    for (const std::string& description : job.dependencies) add_dependency(keys, job, description);
  }
  if (job.state == job::State::run && job.preemption != job::Preemption::none)
    keys.push_back(key::timer(job.t_preempt, job.id));
  if (job.allocated) keys.push_back(key::allocation_end(allocation_end(job), job.id));
  if (auto named = named_key(job)) keys.push_back(*std::move(named));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace fq::records
