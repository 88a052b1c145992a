#include "manager/engine/inbox.h"

#include <optional>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "job/actions.h"
#include "manager/jobs/finish.h"
#include "meeting/outcome.h"

namespace fq::manager {

namespace {

/// What the job's shell has to report; nothing when that is not whole, or too large, or cannot be read, which
/// its shell or who repairs it will meet as well.
std::optional<FinishRequest> read_end(const meeting::JobFiles& files, const job::Job& job) {
  try {
    const auto outcome = meeting::recorded_outcome(files, job.id, job.attempt);
    if (!outcome || !guest_is_small(files, job.id)) return std::nullopt;
    return collect_finish(files, job.id, job.attempt, *outcome);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void announce_end(const meeting::JobFiles& files, JobId id) noexcept {
  try {
    if (!guest_is_small(files, id)) return;
    make_directory(files.inbox_dir());
    static_cast<void>(open_file(files.inbox(id), O_WRONLY | O_CREAT));
  } catch (const Error&) {
    return;
  }
}

bool end_served(const meeting::JobFiles& files, JobId id) {
  return !exists(files.guest(id));
}

void serve_announced_ends(Change& change) {
  const meeting::JobFiles files = change.files();
  for (const JobId id : files.inbox_ids()) {
    const job::Job* job = change.find_job(id);
    if (job == nullptr || !job->started) {
      ::unlink(files.inbox(id).c_str());
      continue;
    }
    if (const auto request = read_end(files, *job)) finish_job(change, *request);
  }
}

}  // namespace fq::manager
