#include "manager/look/enclosing.h"

#include <nlohmann/json.hpp>

#include "manager/core/permission.h"
#include "process/tree/job_mark.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/queues.h"

namespace fq::manager {

using notation::JobId;

namespace {

std::string mark_of(const document::Jobspec& jobspec) {
  const nlohmann::json* environment = jobspec.environment();
  if (environment == nullptr) return {};
  const auto mark = environment->find(process::kMarkName);
  return mark != environment->end() && mark->is_string() ? mark->get<std::string>() : std::string{};
}

bool is_in_queue(const store::Reader& reader, records::Queues& queues, JobId id, const std::string& queue) {
  const auto job = records::find_job(reader, id);
  if (!job) return false;
  const document::QueueConfig* of = queues.find(job->queue);
  return job->queue == queue || (of != nullptr && of->parent == queue);
}

}  // namespace

std::vector<JobId> enclosing_jobs(const store::Reader& reader, const meeting::JobFiles& files,
                                  std::string_view mark) {
  std::vector<JobId> ids;
  std::string next{mark};
  std::optional<JobId> inner;
  while (const auto id = process::marked_job(next, files.identity())) {
    // A job is submitted after those that enclose it: what says otherwise is no mark of fq's.
    if (inner && *id >= *inner) break;
    inner = id;
    const auto job = records::find_job(reader, *id);
    if (!job) break;
    if (job::is_active(job->state)) ids.push_back(*id);
    const auto jobspec = reader.get(store::Family::kvs, records::key::jobspec(*id));
    next = jobspec ? mark_of(document::Jobspec::parse(*jobspec)) : std::string{};
  }
  return ids;
}

std::vector<JobId> enclosing_jobs(const store::Reader& reader, const meeting::JobFiles& files,
                                  const document::Jobspec& jobspec) {
  return enclosing_jobs(reader, files, mark_of(jobspec));
}

std::vector<JobId> enclosing_jobs(const Session& session, const EnclosingRequest& request) {
  std::vector<JobId> ids;
  query(session, [&](const store::Reader& reader) {
    ids.clear();
    records::Queues queues(reader);
    Rights rights(reader, session.caller);
    for (const std::string& mark : request.marks) {
      for (const JobId id : enclosing_jobs(reader, session.files(), mark)) {
        const auto job = records::find_job(reader, id);
        if (!job || !rights.sees(job->userid)) continue;
        if (!request.queue || is_in_queue(reader, queues, id, *request.queue)) ids.push_back(id);
      }
    }
  });
  return ids;
}

}  // namespace fq::manager
