// Submission: one jobspec, or numbered copies of it, becomes jobs.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manager/change.h"
#include "notation/idset.h"

namespace fq::manager {

/// A jobspec with a number at some places: copy n is pieces[0] n pieces[1] n … Without copies, one piece.
struct JobspecTemplate {
  std::vector<std::string> pieces;

  /// A jobspec as it is.
  [[nodiscard]] static JobspecTemplate plain(std::string jobspec);
  /// From the jobspecs of two copies: the places where one has `first_number` and the other `second_number`.
  /// Empty pieces when the two differ otherwise, so that copies must be made one by one.
  [[nodiscard]] static JobspecTemplate between(std::string_view first, std::string_view first_number,
                                               std::string_view second, std::string_view second_number);
  [[nodiscard]] std::string text(std::uint32_t number) const;
};

struct SubmitRequest {
  JobspecTemplate jobspec;
  notation::Idset copies;  ///< their numbers; empty: one job
  std::uint8_t urgency = job::kUrgencyDefault;
  std::uint32_t flags = 0;
};

/// The jobspec, checked for all that no store would take: its form, its shell options and its files. Throws
/// Error{invalid}.
[[nodiscard]] document::Jobspec checked_jobspec(std::string_view text);

/// Requests as JSON, for handing one over to another process.
[[nodiscard]] std::string encode(const SubmitRequest& request);
[[nodiscard]] SubmitRequest decode_submit(std::string_view text);

/// Submits every request, each in a transaction or, when large, in several, and returns the ids in order.
/// `progress` is told how many are stored, outside the lock or not: it must not block. Throws Error{invalid}
/// for a jobspec that is not one, Error{refused} for a job that can never run, that a policy forbids, or
/// whose dependencies can never be satisfied, Error{permission}; what was stored before stays.
[[nodiscard]] std::vector<JobId> submit(const Session& session, const std::vector<SubmitRequest>& requests);

}  // namespace fq::manager
