#include "cli/follow/own_jobs.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"
#include "manager/serve/enclosing.h"
#include "meeting/enclosure.h"
#include "process/job_mark.h"
#include "records/job_table.h"
#include "records/queues.h"

namespace fq::cli {

using notation::JobId;

namespace {

// Instances in instances beyond this are not looked for.
constexpr std::size_t kDeepest = 32;

Error refusal(JobId id) {
  return error(Kind::refused, "this runs inside job {}, for whose end it would wait", id);
}

// The marks of the jobs inside which this process runs: of each store at most one, from the innermost.
std::vector<std::string> own_marks() {
  std::vector<std::string> marks;
  const char* mark = std::getenv(std::string{process::kMarkName}.c_str());
  if (mark == nullptr) return marks;
  marks.emplace_back(mark);
  const char* store = std::getenv("FQ_STORE");
  std::optional<meeting::Enclosure> enclosure;
  for (std::string path = store != nullptr ? store : ""; !path.empty() && marks.size() < kDeepest;
       path = enclosure->store) {
    enclosure = meeting::read_enclosure(path);
    if (!enclosure) break;
    marks.push_back(enclosure->mark);
  }
  return marks;
}

}  // namespace

std::vector<JobId> own_jobs(const manager::Session& session) {
  std::vector<JobId> ids;
  const std::vector<std::string> marks = own_marks();
  if (marks.empty()) return ids;
  manager::query(session, [&](const store::Reader& reader) {
    ids.clear();
    for (const std::string& mark : marks) {
      for (const JobId id : manager::enclosing_jobs(reader, session.files(), mark)) ids.push_back(id);
    }
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
