// Waitable jobs (RFC 21 flag `waitable`) whose result has not been taken by `fq job wait`. That it was taken
// is said nowhere else: these keys are truth.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "job/job.h"
#include "store/transaction.h"

namespace fq::records {

/// Notes a new job, if it is waitable.
void begin_waiting(store::Transaction& transaction, const job::Job& job);
/// Notes that the job has ended, if its result is still to be taken.
void end_waiting(store::Transaction& transaction, const job::Job& job);
/// Takes the result of an inactive job, or forgets one that is purged. Returns false when there was none to
/// take.
bool take_waiting(store::Transaction& transaction, const job::Job& job);

/// The user's waitable jobs that have ended, in the order of their end, `most` of them.
[[nodiscard]] std::vector<notation::JobId> ended_waitable(const store::Reader& reader, std::uint32_t userid,
                                                          std::size_t most);
/// Whether the user has waitable jobs that are active, these few left out.
[[nodiscard]] bool has_active_waitable(const store::Reader& reader, std::uint32_t userid,
                                       std::span<const notation::JobId> but);

}  // namespace fq::records
