// Nodes kept for some users or queues, or for maintenance, in a time that is set beforehand: made, taken
// back, and what follows from them for jobs. A job that would run into one waits, or starts where it ends
// before that; jobs that run already are left alone.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/resource/advance_reservation.h"
#include "job/job.h"
#include "manager/engine/session.h"
#include "request/reservation.h"
#include "sched/timeline.h"

namespace fq::manager {

using request::Reserved;
using request::ReserveRequest;

class Change;

/// Makes one. Of a number of nodes those are chosen that are free when it begins, as far as there are such.
/// Throws Error{permission} unless the caller is the owner, Error{not_found} for nodes, users, groups and
/// queues that there are not, Error{refused} where it were over already, or the nodes are reserved then.
Reserved reserve_nodes(const Session& session, const ReserveRequest& request);
/// Takes one back. Throws Error{permission}, or Error{not_found}.
void cancel_reservation(const Session& session, std::uint64_t number);
/// Those that are not over, by number.
[[nodiscard]] std::vector<Reserved> reservations(const store::Reader& reader, double now);
[[nodiscard]] std::vector<Reserved> reservations(const Session& session);

/// What a pass keeps from jobs of this inventory.
[[nodiscard]] std::vector<sched::Closure> closures(const store::Reader& reader,
                                                   const document::ResourceSet& inventory, double now);
/// When the first one ends of those that are not over; infinity without any. What is over is removed.
[[nodiscard]] double end_of_first_reservation(Change& change);
/// Into which one a running job would come with this expiration (0: none), as a sentence; nothing: into none.
[[nodiscard]] std::optional<std::string> run_into(Change& change, const job::Job& job, double expiration);
/// Which ones keep nodes from it that a request could use, as a sentence; nothing: none does.
[[nodiscard]] std::optional<std::string> kept_from(const store::Reader& reader,
                                                   const sched::AllocRequest& request, double now);

}  // namespace fq::manager
