#include "job/job.h"

#include <csignal>

#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "base/json.h"
#include "document/resource/resource_set.h"

namespace fq::job {

std::string_view name(Preemption preemption) {
  return preemption == Preemption::cancel ? "cancel" : "requeue";
}

void describe(Job& job, const document::Jobspec& jobspec) {
  job.name = jobspec.name();
  job.named = jobspec.has_explicit_name();
  job.cwd = jobspec.cwd();
  job.queue = jobspec.queue();
  job.bank = jobspec.bank();
  job.project = jobspec.project();
  job.qos = jobspec.qos();
  job.ntasks = jobspec.ntasks();
  job.counts = jobspec.counts();
  job.duration = jobspec.duration();
  job.constraint = jobspec.constraints() != nullptr ? dump_json(*jobspec.constraints()) : std::string{};
}

void assign(Job& job, const document::ResourceSet& r) {
  job.ranks = r.ranks().encode();
  job.nodelist = r.nodelist();
  job.nnodes = static_cast<std::uint32_t>(r.nnodes());
  job.ncores = static_cast<std::uint32_t>(r.ncores());
  job.ngpus = static_cast<std::uint32_t>(r.ngpus());
  job.expiration = r.expiration;
}

Result result(const Job& job) {
  if (job.state != State::inactive) return Result::none;
  if (job.exception.occurred && job.exception.severity == 0) {
    if (job.exception.type == "cancel") return Result::canceled;
    // RFC 21 says timelimit, flux-core writes timeout.
    if (job.exception.type == "timelimit" || job.exception.type == "timeout") return Result::timeout;
    return Result::failed;
  }
  return job.finished && job.wait_status == 0 ? Result::completed : Result::failed;
}

int exit_code(const Job& job) {
  if (result(job) == Result::completed) return 0;
  // A time limit ends tasks by SIGALRM; where there are none yet the job ends alike.
  if (!job.finished) return result(job) == Result::timeout ? 128 + SIGALRM : 1;
  if (WIFSIGNALED(job.wait_status)) return 128 + WTERMSIG(job.wait_status);
  const int code = WEXITSTATUS(job.wait_status);
  return code != 0 ? code : 1;
}

std::string_view status(const Job& job) {
  return job.state == State::inactive ? name(result(job)) : name(job.state);
}

std::string_view status_abbreviation(const Job& job) {
  return job.state == State::inactive ? abbreviation(result(job)) : abbreviation(job.state);
}

double runtime(const Job& job, double now) {
  if (job.t_run <= 0) return 0;
  const double end = job.t_cleanup > 0 ? job.t_cleanup : now;
  return end > job.t_run ? end - job.t_run : 0;
}

}  // namespace fq::job
