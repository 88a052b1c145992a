#include "manager/core/allocation.h"

#include "manager/accounts/charging.h"

namespace fq::manager {

class Allocation {
 public:
  static void give(Change& change, JobId id, const document::ResourceSet& r) { change.give(id, r, {}); }
};

void allocate(Change& change, JobId id, const document::ResourceSet& r) {
  change.pool().allocate(r);
  charge_start(change, change.job(id), r);
  Allocation::give(change, id, r);
}

void extend_allocation(Change& change, JobId id, double expiration) {
  charge_until(change, change.job(id), expiration);
}

void release_allocation(Change& change, const job::Job& job) {
  change.pool().release(change.resources(job.id));
  charge_end(change, job);
  change.note_release();
}

}  // namespace fq::manager
