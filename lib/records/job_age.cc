#include "records/job_age.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "records/job_class.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/pending_order.h"
#include "records/priority_facts.h"

namespace fq::records {

using store::Family;

namespace {

// Every pending job of the queue gets the key that `ages` gives it.
void move_jobs(store::Transaction& transaction, const std::string& queue, const JobAges& ages) {
  for (JobClass c : read_classes(transaction, [&](const JobClass& each) { return each.queue == queue; })) {
    std::vector<std::string> old_keys;
    for (const auto at = transaction.scan_prefix(Family::index, key::pending_prefix(c.id)); at->valid();
         at->next())
      old_keys.emplace_back(at->key());
    c.head_time = std::numeric_limits<std::uint64_t>::max();
    for (const std::string& old_key : old_keys) {
      const auto job = find_job(transaction, key::indexed_job(old_key));
      if (!job)
        throw error(Kind::unavailable, "job {} is indexed but has no record", key::indexed_job(old_key));
      const double since = ages.waits_since(*job);
      transaction.erase(Family::index, old_key);
      transaction.put(Family::index, key::pending(c.id, since, job->id), "");
      const std::pair place{to_microseconds(since), job->id};
      if (place < std::pair{c.head_time, c.head}) std::tie(c.head_time, c.head) = place;
    }
    transaction.put(Family::instance, key::job_class(c.id), encode(c));
  }
}

}  // namespace

JobAges::JobAges(const store::Reader& reader) {
  // A name a line; that of the anonymous queue is empty.
  const auto text = reader.get(Family::instance, key::kEligibleAge);
  if (!text) return;
  std::string_view rest = *text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    eligible_.emplace(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
}

JobAges::JobAges(const std::vector<document::QueueConfig>& queues) {
  for (const document::QueueConfig& queue : queues) {
    if (priority_parameters(queue.policy).age_from == priority::AgeFrom::eligible)
      eligible_.insert(queue.name);
  }
}

double JobAges::waits_since(const job::Job& job) const {
  if (job.t_requeue > 0) return job.t_requeue;
  return job.t_eligible > 0 && eligible_.contains(job.queue) ? job.t_eligible : job.t_submit;
}

void JobAges::replace(store::Transaction& transaction) const {
  const JobAges before(transaction);
  if (before.eligible_ == eligible_) return;
  if (eligible_.empty()) {
    transaction.erase(Family::instance, key::kEligibleAge);
  } else {
    std::string text;
    for (const std::string& queue : eligible_) text += queue + '\n';
    transaction.put(Family::instance, key::kEligibleAge, text);
  }
  std::vector<std::string> changed;
  std::set_symmetric_difference(before.eligible_.begin(), before.eligible_.end(), eligible_.begin(),
                                eligible_.end(), std::back_inserter(changed));
  for (const std::string& queue : changed) move_jobs(transaction, queue, *this);
}

}  // namespace fq::records
