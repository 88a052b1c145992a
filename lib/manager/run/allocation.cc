#include "manager/run/allocation.h"

#include "manager/accounts/charging.h"
#include "manager/pass/stored_reservations.h"
#include "manager/run/housekeeping.h"

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
  change.reservations().ends_moved(held.ranks());
  charge_end(change, job);
  if (begin_housekeeping(change, job)) return;
  change.pool().release(held);
  change.note_release();
}

void release_housekeeping(Change& change, const records::Housekeeping& housekeeping) {
  const auto held = document::ResourceSet::parse(housekeeping.R);
  change.reservations().ends_moved(held.ranks());
  change.pool().release(held);
  records::erase_housekeeping(change.transaction(), housekeeping.id);
  change.note_release();
}

}  // namespace fq::manager
