#include "cli/jobs/job_window.h"

#include <span>
#include <utility>

#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_rows.h"

namespace fq::cli {

JobWindow::JobWindow(std::vector<SortKey> keys, double now, std::size_t end)
    : keys_(std::move(keys)), now_(now), end_(end) {}

void JobWindow::add(request::ListedJob&& job) {
  jobs_.push_back(std::move(job));
  if (jobs_.size() >= 4 * end_) prune();
}

std::vector<request::ListedJob> JobWindow::take() {
  prune();
  return std::move(jobs_);
}

// What is among the first of some jobs or among the last is so of any of them that it belongs to.
void JobWindow::prune() {
  if (!keys_.empty()) {
    std::vector<JobRow> rows;
    rows.reserve(jobs_.size());
    for (const request::ListedJob& listed : jobs_) {
      rows.push_back(row_of(listed, now_));
    }
    std::vector<request::ListedJob> sorted;
    sorted.reserve(jobs_.size());
    for (const std::size_t i :
         sorted_order(std::span<const JobRow>(rows), std::span<const SortKey>(keys_), job_fields())) {
      sorted.push_back(std::move(jobs_[i]));
    }
    jobs_ = std::move(sorted);
  }
  if (jobs_.size() <= 2 * end_) return;
  left_out_ += jobs_.size() - 2 * end_;
  const auto last = jobs_.end() - static_cast<std::ptrdiff_t>(end_);
  jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(end_), last);
}

}  // namespace fq::cli
