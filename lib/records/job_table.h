// Job records and everything derived from them, kept together: indexes, classes and counters change with the
// record, in the same transaction.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "job/job.h"
#include "records/job_age.h"
#include "records/job_class.h"
#include "records/keys.h"
#include "store/transaction.h"

namespace fq::records {

/// The record of `id`, or nothing.
[[nodiscard]] std::optional<job::Job> find_job(const store::Reader& reader, JobId id);

/// Writes job records through one transaction. Classes and counters that change often are gathered and
/// written by `flush`: REQUIRED before the transaction commits and before anything scans classes or counters.
class JobTable {
 public:
  /// `transaction` must outlive the table.
  explicit JobTable(store::Transaction& transaction) : transaction_(&transaction), ages_(transaction) {}

  /// Replaces `before` (nothing for a new job) by `after` (nothing for a purged job).
  void replace(const std::optional<job::Job>& before, const std::optional<job::Job>& after);
  /// Notes that so many bytes more, or fewer, are stored of what belongs to jobs of the user.
  void note_bytes(std::uint32_t userid, std::int64_t bytes) { counts_[key::stored_bytes(userid)] += bytes; }
  void flush();
  /// Whether a job has become the first of its class, or may have, or is shorter than the first: what the
  /// first cannot have now, that one might.
  [[nodiscard]] bool has_new_chances() const { return new_chances_; }

 private:
  JobClass& loaded_class(const JobClass& job_class);
  void leave_class(const job::Job& job);
  void enter_class(const job::Job& job);
  [[nodiscard]] double duration_of(JobId head);
  void count(const job::Job& job, std::int64_t delta);

  store::Transaction* transaction_;
  JobAges ages_;
  std::map<ClassId, JobClass> classes_;
  std::map<ClassId, bool> head_left_;  ///< classes whose first member is to be looked up again
  std::map<std::string, std::int64_t> counts_;
  bool new_chances_ = false;
  std::map<JobId, double> head_durations_;
};

/// What is stored of the user's jobs: their documents (RFC 16), and the files that these name
/// (manager/run/guest_data.h).
[[nodiscard]] std::uint64_t stored_bytes(const store::Reader& reader, std::uint32_t userid);

/// Keys of the counters that a job counts in: of those with its status (`S`, `R`, …; results once inactive)
/// for one user and queue, and of the active ones of its user, bank, queue and quality of service.
[[nodiscard]] std::vector<std::string> count_keys(const job::Job& job);

}  // namespace fq::records
