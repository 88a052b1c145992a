#include "cli/follow/own_jobs.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.h"
#include "door/door.h"
#include "meeting/enclosure.h"
#include "process/tree/job_mark.h"
#include "request/find_job.h"

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

// Those in this queue or in a virtual queue of it; without a queue all.
std::vector<JobId> own_jobs_in(const door::Door& door, const std::optional<std::string>& queue) {
  const request::EnclosingRequest request{own_marks(), queue};
  return request.marks.empty() ? std::vector<JobId>{} : door.ask(request).ids;
}

}  // namespace

std::vector<JobId> own_jobs(const door::Door& door) {
  return own_jobs_in(door, std::nullopt);
}

void require_not_own(const door::Door& door, const std::vector<JobId>& ids) {
  const std::vector<JobId> own = own_jobs(door);
  for (const JobId id : ids) {
    if (std::find(own.begin(), own.end(), id) != own.end()) throw refusal(id);
  }
}

void require_not_inside(const door::Door& door, const std::optional<std::string>& queue) {
  const std::vector<JobId> own = own_jobs_in(door, queue);
  if (!own.empty()) throw refusal(own.front());
}

}  // namespace fq::cli
