#include "manager/look/place.h"

#include "base/error.h"
#include "base/file.h"
#include "manager/core/permission.h"
#include "manager/look/query.h"
#include "meeting/enclosure.h"
#include "meeting/said.h"
#include "meeting/task_record.h"
#include "records/instance.h"
#include "records/job_table.h"

namespace fq::manager {

request::TasksReply tasks_of(const Session& session, notation::JobId id) {
  job::Job job;
  query(session, [&](const store::Reader& reader) {
    Rights rights(reader, session.caller);
    job = rights.require_job(id);
    rights.require_access(job);
  });
  const auto records = read_file_if_exists(session.files().tasks(id));
  if (!records) throw error(Kind::refused, "job {} is not running", id);
  request::TasksReply reply;
  // Of one that runs as its user nothing else is known.
  for (const auto& [rank, pid] : meeting::said_tasks(session.files(), id, job.attempt))
    reply.tasks.push_back({rank, pid});
  for (const meeting::TaskRecord& task : meeting::decode_records(*records).tasks) {
    if (task.attempt == job.attempt && task.rank != meeting::kPerilogRank)
      reply.tasks.push_back({task.rank, task.pid});
  }
  return reply;
}

std::optional<std::string> instance_inside(const meeting::JobFiles& files, notation::JobId id) {
  auto known = meeting::instance_of(files, id);
  return known ? known : meeting::said_instance(files, id);
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
    reply.stores.push_back(seen[i] ? instance_inside(session.files(), request.ids[i]) : std::nullopt);
  return reply;
}

}  // namespace fq::manager
