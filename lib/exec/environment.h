// A task's environment: what was submitted with the job, and what tells a task where it is. Nothing of the
// environment of who started the shell is in it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/jobspec.h"
#include "exec/job_files.h"
#include "exec/shell_options.h"
#include "exec/task_plan.h"
#include "exec/template.h"

namespace fq::exec {

/// The variable that marks every process of one attempt. Its value begins with job_mark.
inline constexpr std::string_view kMarkName = "FQ_JOB_ATTEMPT";
/// `<store>.<id>.`: the store as JobFiles::identity tells it, id in dothex. The attempt follows, in decimal.
[[nodiscard]] std::string job_mark(std::string_view store_identity, notation::JobId id);
/// The job of this store that a value of the variable names; nothing for another store's or any other text.
[[nodiscard]] std::optional<notation::JobId> marked_job(std::string_view mark,
                                                        std::string_view store_identity);

/// What is the same for every task of a job.
struct JobEnvironment {
  notation::JobId id;
  std::uint32_t attempt = 1;
  std::string store;           ///< its path
  std::string store_identity;  ///< JobFiles::identity
  std::string tmpdir;
  std::string guest_dir;  ///< own_guest_dir
};

/// The job id as its tasks and its file names show it: f58, in ASCII where the submitted environment asks for
/// that.
[[nodiscard]] std::string job_id_text(notation::JobId id, const document::Jobspec& jobspec);

/// NAME=VALUE for every variable of task `task`, in alphabetic order. FLUX_JOB_CC is handed on as FQ_JOB_CC
/// too. `templates` renders values of the shell option `env-expand`.
[[nodiscard]] std::vector<std::string> task_environment(const document::Jobspec& jobspec,
                                                        const TaskPlan& plan, std::uint32_t task,
                                                        const ShellOptions& options,
                                                        const JobEnvironment& job,
                                                        const TemplateValues& templates);

}  // namespace fq::exec
