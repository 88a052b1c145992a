// What a job must satisfy to be taken, and what its queue gives it: at its submission, and again when what it
// asks for is changed.
//
// A queue's defaults and constraints are an event of the job's log; the jobspec stays as it was submitted
// (RFC 33). Such an event always names the queue, and an event that tells what a user asked for never does
// beside a duration or constraints. So the two can be told apart when the job is moved to another queue.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "document/event/eventlog.h"
#include "manager/accounts/members.h"
#include "manager/core/change.h"

namespace fq::manager {

/// Paths into a jobspec that queues and accounts fill.
namespace path {
inline constexpr std::string_view kQueue = "attributes.system.queue";
inline constexpr std::string_view kDuration = "attributes.system.duration";
inline constexpr std::string_view kUnlimited = "attributes.system.unlimited";
inline constexpr std::string_view kBank = "attributes.system.bank";
inline constexpr std::string_view kProject = "attributes.system.project";
inline constexpr std::string_view kConstraints = "attributes.system.constraints";
}  // namespace path

struct Admission {
  document::Jobspec jobspec;  ///< with what the queue adds
  std::string updates;        ///< that, as the context of a jobspec-update event; empty: nothing
  job::Job facts;             ///< the jobspec part filled
  std::optional<priority::Association> association;  ///< that it is charged to; none: there are no accounts
};

/// How a job comes to its queue: anew, which the queue must be open for, or it is in it already.
enum class Entering : std::uint8_t { yes, no };

/// Whether a job is held to the limits and the access policy of its queue.
enum class Exempt : std::uint8_t { no, yes };

/// Takes a job of `userid`, as that user wants it, into the queue that it names, or the default one. Throws
/// what charged_association does (manager/accounts/members.h),
/// Error{not_found} for a queue that does not exist, Error{refused} for one that takes no jobs, for what
/// breaks a limit and for what the inventory can never hold, Error{permission} where the access policy
/// forbids it. To be called inside with_names, or with the names known.
[[nodiscard]] Admission admit(Change& change, std::uint32_t userid, const document::Jobspec& requested,
                              Entering entering = Entering::yes, Exempt exempt = Exempt::no);

/// Updates that a user asks for, as they are to be applied to requested_jobspec: a duration among them, of 0
/// too, is set.
[[nodiscard]] nlohmann::json with_explicit_duration(nlohmann::json updates);

/// A job as its user wants it: as submitted, with the updates that were asked for, without what queues added.
/// It names the queue that the job is in.
[[nodiscard]] document::Jobspec requested_jobspec(Change& change, JobId id);

}  // namespace fq::manager
