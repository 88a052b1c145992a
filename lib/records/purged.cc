#include "records/purged.h"

#include <string>

#include "base/error.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

namespace {

constexpr char kNeverRan = '0', kRan = '1', kRanUntilException = '2';

// The value: the result as in job::Result, then whether the job ran, a digit each.
std::string encode_purged(const job::Job& job) {
  const bool fatal = job.exception.occurred && job.exception.severity == 0;
  return {static_cast<char>('0' + static_cast<int>(job::result(job))), job.t_run == 0 ? kNeverRan
                                                                       : fatal        ? kRanUntilException
                                                                                      : kRan};
}

job::Job decode(notation::JobId id, const std::string& value) {
  if (value.size() != 2) throw error(Kind::unavailable, "what is kept of purged job {} is damaged", id);
  job::Job job;
  job.id = id;
  job.state = job::State::inactive;
  job.t_run = value[1] == kNeverRan ? 0 : 1;
  job.finished = true;
  switch (static_cast<job::Result>(value[0] - '0')) {
    case job::Result::completed:
      break;
    case job::Result::failed:
    case job::Result::none:
      job.wait_status = 1 << 8;
      if (value[1] == kRanUntilException) job.exception = {true, 0, "exec", {}};
      break;
    case job::Result::canceled:
      job.exception = {true, 0, "cancel", {}};
      break;
    case job::Result::timeout:
      job.exception = {true, 0, "timelimit", {}};
      break;
  }
  return job;
}

}  // namespace

void remember_purged(store::Transaction& transaction, const job::Job& job) {
  transaction.put(Family::instance, key::purged(job.id), encode_purged(job));
}

void count_purged(store::Transaction& transaction, std::uint64_t jobs) {
  if (jobs == 0) return;
  transaction.put(Family::instance, key::kPurgedCount, std::to_string(purged_jobs(transaction) + jobs));
}

std::uint64_t purged_jobs(const store::Reader& reader) {
  const auto value = reader.get(Family::instance, key::kPurgedCount);
  return value ? parse_u64(*value).value_or(0) : 0;
}

std::optional<job::Job> find_purged(const store::Reader& reader, notation::JobId id) {
  const auto value = reader.get(Family::instance, key::purged(id));
  if (!value) return std::nullopt;
  return decode(id, *value);
}

Error no_such_job(const store::Reader& reader, notation::JobId id) {
  const bool was_there = reader.get(Family::instance, key::purged(id)).has_value();
  return error(Kind::not_found, "job {} {}", id, was_there ? "was purged" : "does not exist");
}

}  // namespace fq::records
