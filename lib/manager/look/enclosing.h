// Jobs inside jobs. Every process of a job carries a mark in its environment that names the job and the store
// (shell/environment), and a jobspec has the environment in which it was submitted. So a process, or a job,
// can say inside which jobs of its store it stands.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "manager/engine/session.h"
#include "meeting/job_files.h"
#include "request/find_job.h"
#include "store/reader.h"

namespace fq::manager {

using request::EnclosingRequest;

/// The jobs inside which a process with this mark stands, the innermost first, as far as they are active;
/// none where the mark is another store's, or none.
[[nodiscard]] std::vector<notation::JobId> enclosing_jobs(const store::Reader& reader,
                                                          const meeting::JobFiles& files,
                                                          std::string_view mark);
/// The jobs inside which a job with this jobspec was submitted; the same holds.
[[nodiscard]] std::vector<notation::JobId> enclosing_jobs(const store::Reader& reader,
                                                          const meeting::JobFiles& files,
                                                          const document::Jobspec& jobspec);

/// The jobs of this store inside which a process with these marks stands, the innermost of the first mark
/// first.
[[nodiscard]] std::vector<notation::JobId> enclosing_jobs(const Session& session,
                                                          const EnclosingRequest& request);

}  // namespace fq::manager
