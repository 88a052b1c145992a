// The options of fq-submit, fq-run, fq-bulksubmit and fq-batch, as given: text, not yet interpreted, because
// copies of a job replace placeholders in it. jobspec_builder.h makes a jobspec of them.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/option_parser.h"
#include "cli/submit/env_rules.h"

namespace fq::cli {

/// What the job is counted in: tasks (-n --ntasks, -c --cores-per-task, -g --gpus-per-task) or, for batch,
/// slots (-n --nslots, …), which have no options per resource.
enum class Sizing { tasks, slots };

struct SubmitOptions {
  Sizing sizing = Sizing::tasks;

  std::optional<std::string> queue, bank, qos, time_limit, job_name;
  std::optional<std::string> urgency;
  std::vector<std::string> flags;

  std::optional<std::string> nodes;
  bool exclusive = false;
  std::optional<std::string> ntasks, cores_per_task, gpus_per_task;  ///< of slots, for Sizing::slots
  std::optional<std::string> cores, tasks_per_node, tasks_per_core, gpus_per_node;

  std::vector<std::string> setopt, setattr;
  /// RFC 26 command-line forms; --begin-time=T is `begin-time:T`.
  std::vector<std::string> dependencies;
  std::vector<std::string> requires_;
  std::vector<EnvRule> env;  ///< in the order given
  std::vector<std::string> rlimit;
  std::vector<std::string> files;  ///< as cli/added_files.h has them
  std::optional<std::string> input, output, error, signal, taskmap, cwd;
  bool unbuffered = false;
  bool label_io = false;

  /// Set by fq-batch: the text of the script, which the jobspec takes along as the file `script`. The command
  /// then begins with kBatchScript, and runs once.
  std::optional<std::string> script;
  /// The file that configures the instance of a batch job.
  std::optional<std::string> conf;
  /// Template of the file that this instance is kept in when the job has ended.
  std::optional<std::string> dump;
  /// The command runs once, on the first node, whatever slots are asked for: a script does.
  bool alone = false;
  /// Set by a command that stays with the job and hands its own stdin on, as fq-run does.
  bool attached = false;
  /// Task 0 on a terminal to which this command goes, and whether what is written there is kept as output.
  enum class Terminal { none, shown, kept };
  Terminal terminal = Terminal::none;

  bool dry_run = false;
  bool quiet = false;
  int verbose = 0;

  std::vector<std::string> command;  ///< the program and its arguments: the operands
};

/// Where the shell puts the script of a batch job.
inline constexpr std::string_view kBatchScript = "{{tmpdir}}/script";

/// Adds the option group. Sets options.sizing.
void add_submit_options(OptionParser& parser, SubmitOptions& options, Sizing sizing = Sizing::tasks);

/// Adds --dump, of jobs that have an instance of their own.
void add_dump_option(OptionParser& parser, SubmitOptions& options);

/// Calls `visit` with every value that was given and the option as it stands before it, `-n` or `--cores=`.
/// The command is not among them.
using VisitText = std::function<void(std::string_view option, std::string& text)>;
void for_each_text(SubmitOptions& options, const VisitText& visit);

/// --urgency: 0…31, `hold`, `default` or `expedite`; 16 when not given. Throws Error{usage}.
[[nodiscard]] std::uint8_t submit_urgency(const SubmitOptions& options);
/// --flags as bits of job/job.h. `novalidate` is accepted and changes nothing: every job is validated.
/// Throws Error{usage}.
[[nodiscard]] std::uint32_t submit_flags(const SubmitOptions& options);

}  // namespace fq::cli
