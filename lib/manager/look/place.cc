#include "manager/look/place.h"

#include "base/error.h"
#include "base/file.h"
#include "manager/core/permission.h"
#include "manager/look/query.h"
#include "meeting/enclosure.h"
#include "meeting/task_record.h"
#include "records/instance.h"
#include "records/job_table.h"

namespace fq::manager {

request::TasksReply tasks_of(const Session& session, notation::JobId id) {
  job::Job job;
  query(session, [&](const store::Reader& reader) {
    job = require_job(reader, id);
    require_access(reader, session.caller, job);
  });
  const auto records = read_file_if_exists(session.files().tasks(id));
  if (!records) throw error(Kind::refused, "job {} is not running", id);
  request::TasksReply reply;
  for (const meeting::TaskRecord& task : meeting::decode_records(*records).tasks) {
    if (task.attempt == job.attempt && task.rank != meeting::kPerilogRank)
      reply.tasks.push_back({task.rank, task.pid});
  }
  return reply;
}

request::InstancesReply instances_of(const Session& session, const request::InstancesRequest& request) {
  std::vector<bool> seen(request.ids.size());
  query(session, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const auto job = records::find_job(reader, request.ids[i]);
      seen[i] = job && rights.may_act(*job);
    }
  });
  request::InstancesReply reply;
  for (std::size_t i = 0; i < seen.size(); ++i)
    reply.stores.push_back(seen[i] ? meeting::instance_of(session.files(), request.ids[i]) : std::nullopt);
  return reply;
}

}  // namespace fq::manager
