// What readers ask of the store. A function that takes the session is a request by itself: it looks at one
// committed state, and what it gives no longer depends on that. One that takes a reader is a part of such.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/core/permission.h"
#include "manager/engine/session.h"
#include "manager/look/document_reader.h"
#include "manager/look/select.h"
#include "meeting/job_files.h"
#include "request/document.h"
#include "request/find_job.h"
#include "store/reader.h"

namespace fq::manager {

using request::JobspecForm;
using request::ListedJob;

/// Calls `visit` for every job that the filter selects, in the order of listings, until it returns false.
void visit_listed(const store::Reader& reader, const JobFilter& filter,
                  const std::function<bool(ListedJob&&)>& visit);
/// Throws Error{not_found} `job ƒ… does not exist`, or `job ƒ… was purged`.
[[nodiscard]] job::Job require_job(const store::Reader& reader, notation::JobId id);
/// Throws as that.
[[nodiscard]] ListedJob find_listed(const store::Reader& reader, notation::JobId id);
/// The same of one that the caller sees, without those that they do not. Throws as Rights::require_job.
[[nodiscard]] ListedJob find_listed(const store::Reader& reader, Rights& rights, notation::JobId id);
/// Where it names jobs that the caller does not see: another job.
void hide_jobs_in(Rights& rights, ListedJob& listed);
/// One job, as it is stored: one whose shell was killed and that nobody has looked after yet runs. Throws as
/// that.
[[nodiscard]] ListedJob find_job(const Session& session, notation::JobId id);
/// Throws as that for the first one that is no job.
void require_jobs(const Session& session, const std::vector<notation::JobId>& ids);
/// Those of them that are jobs which the caller sees, in their order. Throws Error.
[[nodiscard]] std::vector<notation::JobId> seen_jobs(const Session& session,
                                                     const std::vector<notation::JobId>& ids);
/// The seconds until the job must end, by the store's time: infinity without a limit, 0 when it has ended.
/// Throws as that, and Error{refused} `job ƒ… has not started`.
[[nodiscard]] double time_left(const Session& session, notation::JobId id);

/// The ids of the `count` jobs of a user that were submitted last, the latest first.
[[nodiscard]] std::vector<notation::JobId> last_jobs(const Session& session, std::uint32_t userid,
                                                     std::size_t count);

/// Throws as that, and Error{permission} unless the caller may see and act on the job.
void require_job_access(const Session& session, notation::JobId id);
/// The same, and Error{permission} where jobs run as their users and this one's is another: what is typed
/// into it is done as that one.
void require_job_user(const Session& session, notation::JobId id);

/// One of the job's documents (RFC 16): `jobspec`, `R`, `J`, `eventlog`, `guest.<name>`, `data.<service>`.
/// Throws Error{not_found} when the job, or that document, does not exist.
[[nodiscard]] DocumentReader open_document(const store::Reader& reader, const meeting::JobFiles& files,
                                           notation::JobId id, std::string_view key,
                                           JobspecForm form = JobspecForm::current);
/// The bytes of a document, of one committed state; nothing where it may be missing, and is. Throws as that.
[[nodiscard]] std::optional<request::ByteStream> read_document(const Session& session,
                                                               const request::DocumentRequest& request);
/// The keys of all documents that the job has now, ascending. Throws Error{not_found}.
[[nodiscard]] std::vector<std::string> document_keys(const Session& session, notation::JobId id);
/// The whole of a document.
[[nodiscard]] std::string job_document(const store::Reader& reader, const meeting::JobFiles& files,
                                       notation::JobId id, std::string_view key,
                                       JobspecForm form = JobspecForm::current);

}  // namespace fq::manager
