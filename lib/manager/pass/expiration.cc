#include "manager/pass/expiration.h"

#include <exception>

#include "manager/pass/consultation.h"
#include "manager/pass/group_reservations.h"
#include "manager/pass/pass_source.h"
#include "manager/pass/queue_schedulers.h"
#include "manager/site/advance_reservation.h"
#include "manager/site/queue_admin.h"

namespace fq::manager {

using Status = sched::ExpirationReply::Status;

sched::ExpirationReply ask_expiration(Change& change, const job::Job& job, double expiration) {
  try {
    GroupReservations reservations(change);
    PassSource source(change, reservations.of(change.queues().scheduling(job.queue)->group), false);
    const auto scheduler = scheduler_of(change, change.queues().served_by(job.queue));
    scheduler->hello(source, change.now());
    return scheduler->expiration(job.id, expiration);
  } catch (const std::exception& failure) {
    return {Status::refused, suspension_text(failure.what())};
  }
}

sched::ExpirationReply propose_expiration(Change& change, const job::Job& job, double expiration,
                                          const AskedExpirations& said) {
  if (auto text = run_into(change, job, expiration)) return {Status::refused, *std::move(text)};
  if (change.queues().find(job.queue) == nullptr) return {};
  if (!is_consulted(change, change.queues().served_by(job.queue)))
    return ask_expiration(change, job, expiration);
  const auto at = said.find(job.id);
  if (at != said.end() && at->second.expiration == expiration) return at->second.reply;
  return {Status::refused, "it, or its queue, was changed while its scheduler was asked: try again"};
}

}  // namespace fq::manager
