// A job's temporary directory (`{{tmpdir}}`, FLUX_JOB_TMPDIR) and the files that its jobspec brings along.

#pragma once

#include <string>

#include "document/jobspec/jobspec.h"
#include "notation/fluid.h"
#include "process/tree/recorded_directory.h"

namespace fq::meeting {

/// Makes a new directory of mode 0700 in `parent`; where that is empty in the job's TMPDIR, which is made
/// where it is missing, or in /tmp where that cannot be. `record` is told first. Throws Error.
[[nodiscard]] std::string make_job_tmpdir(notation::JobId id, const document::Jobspec& jobspec,
                                          const process::RecordPath& record = {},
                                          const std::string& parent = {});

/// Removes a directory that make_job_tmpdir made. Anything else is left alone.
void remove_job_tmpdir(const std::string& path);

/// Writes `attributes.system.files` (name → {mode, data, encoding}) into `tmpdir`. Throws Error{invalid} for
/// a name with a slash and for what is not a file.
void write_job_files(const document::Jobspec& jobspec, const std::string& tmpdir);
/// Throws the same Error{invalid}, and writes nothing.
void check_job_files(const document::Jobspec& jobspec);

}  // namespace fq::meeting
