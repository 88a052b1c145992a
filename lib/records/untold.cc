#include "records/untold.h"

#include "records/keys.h"

namespace fq::records {

using notation::JobId;
using store::Family;

void write_untold(store::Transaction& transaction, JobId on, JobId first) {
  transaction.put(Family::instance, key::untold(on), key::job(first));
}

void erase_untold(store::Transaction& transaction, JobId on) {
  transaction.erase(Family::instance, key::untold(on));
}

std::optional<JobId> find_untold(const store::Reader& reader, JobId on) {
  const auto first = reader.get(Family::instance, key::untold(on));
  if (!first) return std::nullopt;
  return key::job_of(*first);
}

std::optional<std::pair<JobId, JobId>> last_untold(const store::Reader& reader) {
  const auto keys = reader.last_keys(Family::instance, key::kUntoldPrefix, 1);
  if (keys.empty()) return std::nullopt;
  const JobId on = key::indexed_job(keys.front());
  return std::pair{on, find_untold(reader, on).value()};
}

std::vector<std::pair<JobId, JobId>> read_untold(const store::Reader& reader) {
  std::vector<std::pair<JobId, JobId>> untold;
  for (const auto at = reader.scan_prefix(Family::instance, key::kUntoldPrefix); at->valid(); at->next()) {
    untold.emplace_back(key::indexed_job(at->key()), key::job_of(at->value()));
  }
  return untold;
}

}  // namespace fq::records
