#include "records/job_table.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "records/job_index.h"
#include "records/job_record.h"

namespace fq::records {

using store::Family;

std::optional<job::Job> find_job(const store::Reader& reader, JobId id) {
  const auto bytes = reader.get(Family::jobs, key::job(id));
  if (!bytes) return std::nullopt;
  return decode_job(*bytes);
}

std::uint64_t stored_bytes(const store::Reader& reader, std::uint32_t userid) {
  const auto sum = reader.get(Family::instance, key::stored_bytes(userid));
  return sum ? parse_u64(*sum).value_or(0) : 0;
}

std::vector<std::string> count_keys(const job::Job& job) {
  std::vector<std::string> keys{key::count(job.userid, job::status_abbreviation(job), job.queue)};
  if (job.state != job::State::inactive)
    keys.push_back(key::active_jobs(job.bank, job.userid, job.qos, job.queue));
  return keys;
}

void JobTable::replace(const std::optional<job::Job>& before, const std::optional<job::Job>& after) {
  const auto old_keys = before ? index_keys(*before, ages_) : std::vector<std::string>{};
  const auto new_keys = after ? index_keys(*after, ages_) : std::vector<std::string>{};
  std::vector<std::string> gone, come;
  std::set_difference(old_keys.begin(), old_keys.end(), new_keys.begin(), new_keys.end(),
                      std::back_inserter(gone));
  std::set_difference(new_keys.begin(), new_keys.end(), old_keys.begin(), old_keys.end(),
                      std::back_inserter(come));
  for (const std::string& k : gone) transaction_->erase(Family::index, k);
  for (const std::string& k : come) transaction_->put(Family::index, k, "");

  // A job that stays in its class keeps its place: the pending key would have changed otherwise.
  const auto pending = [](const std::string& k) { return k.front() == 'p'; };
  if (std::any_of(gone.begin(), gone.end(), pending)) leave_class(*before);
  if (std::any_of(come.begin(), come.end(), pending)) enter_class(*after);

  if (before) count(*before, -1);
  if (after) {
    count(*after, +1);
    transaction_->put(Family::jobs, key::job(after->id), encode(*after));
  } else if (before) {
    transaction_->erase(Family::jobs, key::job(before->id));
  }
}

JobClass& JobTable::loaded_class(const JobClass& job_class) {
  const auto at = classes_.find(job_class.id);
  if (at != classes_.end()) return at->second;
  const std::string k = key::job_class(job_class.id);
  const auto bytes = transaction_->get(Family::instance, k);
  return classes_.emplace(job_class.id, bytes ? decode_class(k, *bytes) : job_class).first->second;
}

void JobTable::enter_class(const job::Job& job) {
  JobClass& c = loaded_class(class_of(job));
  const std::uint64_t time = to_microseconds(ages_.waits_since(job));
  if (c.count == 0 || std::pair{time, job.id} < std::pair{c.head_time, c.head}) {
    c.head_time = time;
    c.head = job.id;
    new_chances_ = true;
  } else if (job.duration > 0 && !new_chances_ && job.duration < duration_of(c.head)) {
    new_chances_ = true;
  }
  ++c.count;
}

double JobTable::duration_of(JobId head) {
  const auto [at, is_new] = head_durations_.try_emplace(head, 0.0);
  if (is_new) {
    if (const auto job = find_job(*transaction_, head)) at->second = job->duration;
  }
  return at->second;
}

void JobTable::leave_class(const job::Job& job) {
  JobClass& c = loaded_class(class_of(job));
  if (c.count == 0) throw error(Kind::internal, "class of job {} has no members", notation::to_f58(job.id));
  --c.count;
  if (c.head == job.id) head_left_[c.id] = new_chances_ = true;
}

void JobTable::count(const job::Job& job, std::int64_t delta) {
  for (const std::string& k : count_keys(job)) counts_[k] += delta;
}

void JobTable::flush() {
  for (auto& [id, c] : classes_) {
    if (c.count == 0) {
      transaction_->erase(Family::instance, key::job_class(id));
      continue;
    }
    if (head_left_.contains(id)) {
      const auto first = transaction_->scan_prefix(Family::index, key::pending_prefix(id));
      if (!first->valid()) throw error(Kind::internal, "a class of {} jobs has no first one", c.count);
      c.head_time = key::indexed_time(first->key());
      c.head = key::indexed_job(first->key());
    }
    transaction_->put(Family::instance, key::job_class(id), encode(c));
  }
  classes_.clear();
  head_left_.clear();

  for (const auto& [k, delta] : counts_) {
    if (delta == 0) continue;
    const auto stored = transaction_->get(Family::instance, k);
    const std::uint64_t sum =
        (stored ? parse_u64(*stored).value_or(0) : 0) + static_cast<std::uint64_t>(delta);
    if (sum == 0) {
      transaction_->erase(Family::instance, k);
    } else {
      transaction_->put(Family::instance, k, fmt::format("{}", sum));
    }
  }
  counts_.clear();
}

}  // namespace fq::records
