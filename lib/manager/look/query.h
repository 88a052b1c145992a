// What readers ask of the store. A function that takes the session is a request by itself: it looks at one
// committed state, and what it gives no longer depends on that. One that takes a reader is a part of such.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/engine/session.h"
#include "manager/look/document_reader.h"
#include "manager/look/select.h"
#include "meeting/job_files.h"
#include "store/reader.h"

namespace fq::manager {

/// A job with what the scheduler last said of it.
struct ListedJob {
  job::Job job;                               ///< its annotations those of now, pending or not
  std::optional<double> t_estimate;           ///< when it may start, seconds since the epoch
  std::optional<std::string> reason_pending;  ///< why it has not
  /// Where the scheduler has not said why: the head of its queue, which waits.
  std::optional<notation::JobId> behind = {};
};

/// Calls `visit` for every job that the filter selects, in the order of listings, until it returns false.
void visit_listed(const store::Reader& reader, const JobFilter& filter,
                  const std::function<bool(ListedJob&&)>& visit);
/// Throws Error{not_found} `job ƒ… does not exist`, or `job ƒ… was purged`.
[[nodiscard]] job::Job require_job(const store::Reader& reader, notation::JobId id);
/// Throws as that.
[[nodiscard]] ListedJob find_listed(const store::Reader& reader, notation::JobId id);
/// One job, as it is stored: one whose shell was killed and that nobody has looked after yet runs. Throws as
/// that.
[[nodiscard]] ListedJob find_job(const Session& session, notation::JobId id);
/// Throws as that for the first one that is no job.
void require_jobs(const Session& session, const std::vector<notation::JobId>& ids);
/// The seconds until the job must end, by the store's time: infinity without a limit, 0 when it has ended.
/// Throws as that, and Error{refused} `job ƒ… has not started`.
[[nodiscard]] double time_left(const Session& session, notation::JobId id);

/// The ids of the `count` jobs of a user that were submitted last, the latest first.
[[nodiscard]] std::vector<notation::JobId> last_jobs(const Session& session, std::uint32_t userid,
                                                     std::size_t count);

/// Which form of a jobspec, or of R, is meant.
enum class JobspecForm : std::uint8_t {
  current,   ///< with updates applied, without the environment
  original,  ///< as it was submitted, or given
  base,      ///< as it was submitted, without the environment
};

/// Keys of guest documents and of services' data begin with these.
inline constexpr std::string_view kGuestKeys = "guest.";
inline constexpr std::string_view kDataKeys = "data.";

/// One of the job's documents (RFC 16): `jobspec`, `R`, `J`, `eventlog`, `guest.<name>`, `data.<service>`.
/// Throws Error{not_found} when the job, or that document, does not exist.
[[nodiscard]] DocumentReader open_document(const store::Reader& reader, const meeting::JobFiles& files,
                                           notation::JobId id, std::string_view key,
                                           JobspecForm form = JobspecForm::current);
[[nodiscard]] DocumentReader open_document(const Session& session, notation::JobId id, std::string_view key,
                                           JobspecForm form = JobspecForm::current);
/// A document that is an event log: jobs whose shell was killed are repaired before, so that their end is in
/// it. Throws as that.
[[nodiscard]] DocumentReader open_eventlog(const Session& session, notation::JobId id, std::string_view key);
/// The keys of all documents that the job has now, ascending. Throws Error{not_found}.
[[nodiscard]] std::vector<std::string> document_keys(const Session& session, notation::JobId id);
/// The whole of a document.
[[nodiscard]] std::string job_document(const store::Reader& reader, const meeting::JobFiles& files,
                                       notation::JobId id, std::string_view key,
                                       JobspecForm form = JobspecForm::current);

}  // namespace fq::manager
