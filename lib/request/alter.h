// Changing jobs that are there: their urgency, what they ask for, and what users and services keep with them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.h"
#include "request/refusal.h"

namespace fq::request {

struct UrgencyChange {
  notation::JobId id;
  std::uint8_t before = 0;  ///< the urgency it had
};

/// Holds, releases and expedites jobs that have no resources yet (RFC 21). Refused with Error{permission} for
/// an urgency that is the owner's alone.
struct UrgencyRequest {
  using Reply = BulkReply<UrgencyChange>;
  std::vector<notation::JobId> ids;
  std::uint8_t urgency = job::kUrgencyDefault;
};

struct UpdatedJob {
  notation::JobId id;
  std::string updates;  ///< what was changed, JSON as in the request, with the time limit that came of it
};

/// Changes what jobs ask for after their submission (RFC 21 jobspec-update); the submitted jobspec stays as
/// it is. Each job gets all of the changes (with dry_run: would get) or is refused. A job that waits is
/// checked anew as at its submission. Of one that runs only its time limit (by the owner alone), its name and
/// attributes.user can be changed; its shell obeys a new limit at once. The owner of the store may change a
/// job of another user beyond limits and access of its queue; its user can change it no more then. Refused
/// with Error{invalid} when `updates` is no object.
struct UpdateRequest {
  using Reply = BulkReply<UpdatedJob>;
  std::vector<notation::JobId> ids;
  std::string updates = "{}";               ///< JSON object: dotted path into the jobspec → its new value
  std::optional<double> duration_change_s;  ///< added to the time limit; negative takes off
  std::optional<std::uint8_t> urgency;
  bool dry_run = false;
};

/// All memos of a job may take so many bytes as JSON: every listing reads them.
inline constexpr std::size_t kMaxMemoBytes = 16U << 10U;

/// A short note that users and tools keep with a job (RFC 21), shown as its `user` annotations.
struct MemoRequest {
  using Reply = Nothing;
  notation::JobId id;
  std::string memo;             ///< JSON object text, merged into what is there; null removes a key
  bool keeps_no_event = false;  ///< not in the event log, and gone when the job ends
};

/// What only fq keeps with a job: data of this name, and below it.
inline constexpr std::string_view kOwnService = "fq";
/// What all services keep with one job may take so many bytes, their names included.
inline constexpr std::size_t kMaxServiceBytes = 1U << 20U;

/// Throws Error{usage} for what is no key (notation/kvs_key.h), and for what only fq may keep: `fq`, `fq.…`.
void require_service_name(std::string_view service);

/// Keeps bytes as the job's document `data.<service>` (RFC 16) in place of what there is, until the job is
/// purged. Refused with Error{usage} for what is no key (notation/kvs_key.h), and for what only fq may keep:
/// `fq`, `fq.…`.
struct ServiceDataRequest {
  using Reply = Nothing;
  notation::JobId id;
  std::string service;
  std::string bytes;
};

}  // namespace fq::request
