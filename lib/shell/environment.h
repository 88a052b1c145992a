// A task's environment: what was submitted with the job, and what tells a task where it is. Nothing of the
// environment of who started the shell is in it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "document/jobspec/shell_options.h"
#include "document/jobspec/task_plan.h"
#include "document/jobspec/template.h"
#include "meeting/job_files.h"
#include "notation/idset.h"

namespace fq::shell {

/// Behind the name of a host file that of the same for MPICH's mpirun (Hydra), which has a form of its own.
inline constexpr std::string_view kHydraEnding = ".mpich";

/// What is the same for every task of a job.
struct JobEnvironment {
  notation::JobId id;
  std::uint32_t attempt = 1;
  std::string store;           ///< its path
  std::string parent;          ///< path of the store that encloses it, where it is inside a job; else empty
  std::string store_identity;  ///< JobFiles::identity
  std::string tmpdir;
  std::string guest_dir;                      ///< own_guest_dir
  std::string pmi_library;                    ///< libpmi.so for programs that load one; empty: none
  std::string host_file;                      ///< for Open MPI's mpirun: this host and the slots; empty: none
  bool shares_memory = false;                 ///< with directories for it (shared_memory_dir)
  std::optional<notation::Idset> gpus_shown;  ///< where the others cannot be opened: CUDA counts these from 0
};

/// The job id as its tasks and its file names show it: f58, in ASCII where the submitted environment asks for
/// that.
[[nodiscard]] std::string job_id_text(notation::JobId id, const document::Jobspec& jobspec);

/// Where tasks of one job on one node have the files of memory that they share: Open MPI names these by
/// numbers that other jobs, and nodes that are pretended, have as well.
[[nodiscard]] std::string shared_memory_dir(const std::string& tmpdir, const document::TaskPlan& plan,
                                            std::uint32_t node);

/// NAME=VALUE for every variable of task `task`, in alphabetic order. FLUX_JOB_CC is handed on as FQ_JOB_CC
/// too. `templates` renders values of the shell option `env-expand`.
[[nodiscard]] std::vector<std::string> task_environment(const document::Jobspec& jobspec,
                                                        const document::TaskPlan& plan, std::uint32_t task,
                                                        const document::ShellOptions& options,
                                                        const JobEnvironment& job,
                                                        const document::TemplateValues& templates);

}  // namespace fq::shell
