#include "manager/core/settle.h"

#include "manager/core/inventory.h"
#include "manager/jobs/purge.h"
#include "manager/pass/schedule_pass.h"

namespace fq::manager {

void settle(Change& change, bool last) {
  if (change.take_release()) remove_released_nodes(change);
  if (!last) return change.keep_reservations();
  schedule_pass(change);
  if (change.any_ended()) purge_some(change);
}

}  // namespace fq::manager
