#include "cli/bulk_run.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/output.h"
#include "manager/wait.h"

namespace fq::cli {
namespace {

using notation::JobId;

// In pieces, so that a million ids need no memory to speak of.
void print_ids(const std::vector<JobId>& ids) {
  constexpr std::size_t kPiece = 64U << 10U;
  std::string out;
  for (const JobId id : ids) {
    out.append(notation::to_f58(id)).append(1, '\n');
    if (out.size() < kPiece) continue;
    print(out);
    out.clear();
  }
  print(out);
}

// The largest exit code of the jobs, once all have ended.
int wait_for_all(const manager::Session& session, const std::vector<JobId>& ids) {
  int worst = 0;
  for (const JobId id : ids) worst = std::max(worst, job::exit_code(manager::wait_inactive(session, id)));
  return worst;
}

}  // namespace

int run_bulk(std::string_view, const manager::Session& session, BulkPlan& plan, const BulkOptions& options) {
  std::vector<JobId> ids;
  for (;;) {
    const BulkPlan::Portion portion = plan.next(std::numeric_limits<std::size_t>::max());
    if (portion.jobs == 0) break;
    std::vector<JobId> submitted;
    try {
      submitted = manager::submit(session, portion.requests);
    } catch (const Error& failure) {
      if (ids.empty() || !failure.hint().empty()) throw;
      throw Error{failure.kind(), failure.what(),
                  fmt::format("{} of {} jobs were submitted before", ids.size(), plan.size())};
    }
    if (!options.submit.quiet) print_ids(submitted);
    ids.insert(ids.end(), submitted.begin(), submitted.end());
  }
  return options.follow.wait_event ? wait_for_all(session, ids) : 0;
}

}  // namespace fq::cli
