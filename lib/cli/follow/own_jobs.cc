#include "cli/follow/own_jobs.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "manager/serve/enclosing.h"
#include "process/job_mark.h"
#include "records/job_table.h"
#include "records/queues.h"

namespace fq::cli {

using notation::JobId;

namespace {

Error refusal(JobId id) {
  return error(Kind::refused, "this runs inside job {}, for whose end it would wait", id);
}

std::string own_mark() {
  const char* mark = std::getenv(std::string{process::kMarkName}.c_str());
  return mark != nullptr ? mark : "";
}

}  // namespace

std::vector<JobId> own_jobs(const manager::Session& session) {
  std::vector<JobId> ids;
  const std::string mark = own_mark();
  if (mark.empty()) return ids;
  manager::query(session, [&](const store::Reader& reader) {
    ids = manager::enclosing_jobs(reader, session.files(), mark);
  });
  return ids;
}

void require_not_own(const manager::Session& session, const std::vector<JobId>& ids) {
  const std::vector<JobId> own = own_jobs(session);
  for (const JobId id : ids) {
    if (std::find(own.begin(), own.end(), id) != own.end()) throw refusal(id);
  }
}

void require_not_inside(const manager::Session& session, const std::optional<std::string>& queue) {
  const std::vector<JobId> own = own_jobs(session);
  if (own.empty()) return;
  std::optional<JobId> found;
  manager::query(session, [&](const store::Reader& reader) {
    records::Queues queues(reader);
    found.reset();
    for (const JobId id : own) {
      const auto job = records::find_job(reader, id);
      if (!job) continue;
      const document::QueueConfig* of = queues.find(job->queue);
      if (!queue || job->queue == *queue || (of != nullptr && of->parent == *queue)) {
        found = id;
        return;
      }
    }
  });
  if (found) throw refusal(*found);
}

}  // namespace fq::cli
