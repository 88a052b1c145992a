#include "manager/core/allocation.h"

#include "base/error.h"
#include "job/apply.h"
#include "manager/accounts/charging.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

void allocate(Change& change, JobId id, const document::ResourceSet& r) {
  change.transaction().put(Family::kvs, records::key::r(id), r.encode());
  change.pool().allocate(r);
  charge_start(change, change.job(id), r);
  job::assign(change.entry(id).now, r);
}

void extend_allocation(Change& change, JobId id, double expiration) {
  charge_until(change, change.job(id), expiration);
}

void release_allocation(Change& change, const job::Job& job) {
  const auto text = change.transaction().get(Family::kvs, records::key::r(job.id));
  if (!text) throw error(Kind::internal, "job {} holds resources but has no R", job.id);
  change.pool().release(document::ResourceSet::parse(*text));
  charge_end(change, job);
  change.note_release();
}

}  // namespace fq::manager
