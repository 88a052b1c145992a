// Nodes kept for some users or queues, or for maintenance, in a time that is set beforehand. A job that would
// run into one waits, or starts where it ends before that; jobs that run already are left alone.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/resource/advance_reservation.h"
#include "notation/fluid.h"
#include "request/refusal.h"

namespace fq::request {

struct Reserved {
  document::AdvanceReservation reservation;
  std::string nodelist;
  std::vector<notation::JobId> in_use_by;  ///< jobs that may hold some of the nodes when it begins
};

/// Makes one. Of a number of nodes those are chosen that are free when it begins, as far as there are such.
/// Refused with Error{permission} unless the caller is the owner, Error{not_found} for nodes, users, groups
/// and queues that there are not, Error{refused} where it were over already, or the nodes are reserved then.
struct ReserveRequest {
  using Reply = Reserved;
  std::string nodes;    ///< how many (`4`), hosts (`node[0-3]`, RFC 29) or ranks (`0-3`, RFC 22)
  double start = 0;     ///< seconds since the epoch; 0: now
  double duration = 0;  ///< seconds
  std::vector<std::string> users, groups, queues;
  bool flex = false;
  std::string reason;
};

/// Takes one back. Refused with Error{permission}, or Error{not_found}.
struct CancelReservationRequest {
  using Reply = Nothing;
  std::uint64_t number = 0;
};

struct ReservationsReply {
  std::vector<Reserved> reservations;  ///< those that are not over, by number
};

struct ReservationsRequest {
  using Reply = ReservationsReply;
};

}  // namespace fq::request
