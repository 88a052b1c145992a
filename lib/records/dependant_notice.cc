#include "records/dependant_notice.h"

#include "records/keys.h"

namespace fq::records {

using notation::JobId;
using store::Family;

namespace {

// The first dependant of `on` that is not told; nothing when all are.
std::optional<JobId> find_notice(const store::Reader& reader, JobId on) {
  const auto first = reader.get(Family::instance, key::dependant_notice(on));
  if (!first) return std::nullopt;
  return key::job_of(*first);
}

}  // namespace

void write_notice(store::Transaction& transaction, JobId on, JobId first) {
  transaction.put(Family::instance, key::dependant_notice(on), key::job(first));
}

void erase_notice(store::Transaction& transaction, JobId on) {
  transaction.erase(Family::instance, key::dependant_notice(on));
}

bool is_to_be_notified(const store::Reader& reader, JobId on, JobId dependant) {
  const auto first = find_notice(reader, on);
  return first && *first <= dependant;
}

std::optional<std::pair<JobId, JobId>> last_notice(const store::Reader& reader) {
  const auto keys = reader.last_keys(Family::instance, key::kNoticePrefix, 1);
  if (keys.empty()) return std::nullopt;
  const JobId on = key::indexed_job(keys.front());
  return std::pair{on, find_notice(reader, on).value()};
}

}  // namespace fq::records
