#include "manager/core/allocation.h"

#include "manager/accounts/charging.h"
#include "manager/core/stored_reservations.h"

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
  change.reservations().ends_moved(change.resources(id).ranks());
}

void release_allocation(Change& change, const job::Job& job) {
  const document::ResourceSet& held = change.resources(job.id);
  change.pool().release(held);
  change.reservations().ends_moved(held.ranks());
  charge_end(change, job);
  change.note_release();
}

}  // namespace fq::manager
