// Why a job has not started.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "notation/fluid.h"

namespace fq::request {

struct Reason {
  enum class Kind : std::uint8_t {
    never,       ///< the inventory could not hold it, were all nodes up and free
    held,        ///< its urgency is 0
    stopped,     ///< its queue starts no jobs, or is gone
    dependency,  ///< another job, or its time
    enclosing,   ///< a job inside which it was submitted holds what it needs
    limit,       ///< its user, bank, queue or QoS has in use, or has used, what is allowed
    reserved,    ///< nodes are kept for others, or for maintenance, while it would run
    turn,        ///< others come before it, or what it needs is not free
    estimate,    ///< when it may start
    state,       ///< it has started or ended
    note,        ///< an exception that has not ended it
  };
  Kind kind = Kind::turn;
  std::string text;  ///< a sentence

  friend bool operator==(const Reason&, const Reason&) = default;
};

struct WhyReply {
  std::vector<Reason> reasons;
};

/// Every reason for which a job has not started, those first that nobody but its user or an administrator can
/// do something about, with its place in the queue; for a job that has started or ended, what became of it;
/// last an exception that did not end it. Jobs whose shell was killed are repaired before. Refused with
/// Error{not_found}.
struct WhyRequest {
  using Reply = WhyReply;
  notation::JobId id;
};

}  // namespace fq::request
