// Who is charged for a job, and whether it may be: which bank, by whose leave, and how many more jobs that
// has room for. Of a store without accounts nothing is asked.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/jobspec/jobspec.h"
#include "manager/core/change.h"
#include "priority/account.h"

namespace fq::manager {

/// The association that a job of `userid` is charged to: in the bank that it names, else in the user's
/// default one. Nothing where there are no accounts. A caller whom nobody has added is taken into the
/// configured default bank. Throws Error{not_found} for a bank, or a project, that there is not,
/// Error{permission} for a bank that the user is not in. To be called inside with_names
/// (manager/core/caller_names.h).
[[nodiscard]] std::optional<priority::Association> charged_association(Change& change, std::uint32_t userid,
                                                                       const document::Jobspec& requested);

/// Throws Error{permission} for a queue that the association may not use.
void require_associated_queue(const priority::Association& association, std::string_view queue);
/// The same for a project that its jobs may not name.
void require_associated_project(const priority::Association& association, std::string_view project);
/// The project of jobs that name none: the association's default one, as long as jobs may name it; else
/// empty.
[[nodiscard]] std::string default_project(const store::Reader& reader,
                                          const priority::Association& association);

/// Takes note that `jobs` more like this one are to be submitted. Throws Error{refused} where the
/// association, or a bank above it, its quality of service, or its user in that or in its queue, may not have
/// so many active jobs. `facts` has queue, quality of service, user and bank.
void require_room_for_jobs(Change& change, const std::optional<priority::Association>& association,
                           const job::Job& facts, std::uint64_t jobs);

/// Whether one of the caller's associations grants a quality of service: that in `bank`, or any where it is
/// empty.
[[nodiscard]] bool is_granted_qos(Change& change, std::string_view bank, std::string_view qos);

}  // namespace fq::manager
