// Instances inside jobs. A batch job is given an instance of its own: a store in the job's temporary
// directory, made by the first command that uses it, in which commands of the script work, on the resources
// that the job has. It goes with the directory, and what it runs ends with the job.
//
// STORE/enclosure, in such a store alone, says inside which job it is. The processes that fq starts for it
// carry that job's mark (process/tree/job_mark.h): they are part of the job.
//
//   { "store": path of the enclosing store, "job": id, "mark": value of the mark,
//     "gpus": value of FQ_GPUS_SHOWN, where it is set }

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "meeting/job_files.h"

namespace fq::meeting {

struct Enclosure {
  std::string store;  ///< the one in which the job is; absolute
  notation::JobId job;
  std::string mark;
  std::string gpus_shown;  ///< as kGpusShownName has it; empty: all can be opened
  friend bool operator==(const Enclosure&, const Enclosure&) = default;
};

/// The variable that names the enclosing store to what runs in an instance inside a job.
inline constexpr std::string_view kParentName = "FQ_PARENT";

/// The variable by which fq-imp says which GPUs its processes can open, where that is not all: an idset.
inline constexpr std::string_view kGpusShownName = "FQ_GPUS_SHOWN";

/// The file in a job's temporary directory that configures its instance, where there is one.
inline constexpr std::string_view kInstanceConfig = "instance.toml";

/// Where the instance of a job with this temporary directory has its store, once it is made.
[[nodiscard]] std::string instance_path(std::string_view tmpdir);

/// In a job's temporary directory, a FIFO that its shell has open for writing as long as it lives: what the
/// instance runs outside the job's namespaces learns by it of the job's end, however that comes.
/// Shows it. Throws Error.
[[nodiscard]] UniqueFd show_life(std::string_view tmpdir);
/// To be polled: it can be read when the shell is gone. Not valid where none was shown.
[[nodiscard]] UniqueFd watch_life(std::string_view tmpdir);
/// Whether the shell is gone. `watched` is valid.
[[nodiscard]] bool life_is_over(const UniqueFd& watched);

/// Inside which job the store at `path` is; nothing for one that is inside none, as one that all users of a
/// machine share, into which they cannot look. Throws Error{invalid} for a file that was not written by
/// write_enclosure.
[[nodiscard]] std::optional<Enclosure> read_enclosure(const std::string& path);
/// Throws Error.
void write_enclosure(const std::string& path, const Enclosure& enclosure);
/// NAME=VALUE for the processes that fq starts for the store at `path`: inside a job the mark, and which GPUs
/// there are to open.
[[nodiscard]] std::vector<std::string> enclosing_environment(const std::string& path);

/// The store of the instance inside a running job; nothing for one that has none, or has not used it.
[[nodiscard]] std::optional<std::string> instance_of(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
