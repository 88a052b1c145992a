#include "records/waitable.h"

#include <algorithm>

#include "records/keys.h"

namespace fq::records {

using key::WaitPhase;
using store::Family;

namespace {

bool is_waitable(const job::Job& job) {
  return (job.flags & job::kFlagWaitable) != 0;
}

std::string active_key(const job::Job& job) {
  return key::waitable(job.userid, WaitPhase::active, job.t_submit, job.id);
}
std::string ended_key(const job::Job& job) {
  return key::waitable(job.userid, WaitPhase::ended, job.t_inactive, job.id);
}

}  // namespace

void begin_waiting(store::Transaction& transaction, const job::Job& job) {
  if (is_waitable(job)) transaction.put(Family::instance, active_key(job), "");
}

void end_waiting(store::Transaction& transaction, const job::Job& job) {
  if (!is_waitable(job) || !transaction.get(Family::instance, active_key(job))) return;
  transaction.erase(Family::instance, active_key(job));
  transaction.put(Family::instance, ended_key(job), "");
}

bool take_waiting(store::Transaction& transaction, const job::Job& job) {
  if (!is_waitable(job) || !transaction.get(Family::instance, ended_key(job))) return false;
  transaction.erase(Family::instance, ended_key(job));
  return true;
}

std::vector<notation::JobId> ended_waitable(const store::Reader& reader, std::uint32_t userid,
                                            std::size_t most) {
  std::vector<notation::JobId> ids;
  const std::string prefix = key::waitable_prefix(userid, WaitPhase::ended);
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid() && ids.size() < most;
       at->next()) {
    ids.push_back(key::indexed_job(at->key()));
  }
  return ids;
}

bool has_active_waitable(const store::Reader& reader, std::uint32_t userid,
                         std::span<const notation::JobId> but) {
  const std::string prefix = key::waitable_prefix(userid, WaitPhase::active);
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    if (std::find(but.begin(), but.end(), key::indexed_job(at->key())) == but.end()) return true;
  }
  return false;
}

}  // namespace fq::records
