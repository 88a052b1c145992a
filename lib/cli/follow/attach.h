// Following a job: its output as it comes, to its end.

#pragma once

#include <optional>
#include <string_view>

#include "cli/follow/attach_events.h"
#include "door/door.h"
#include "job/job.h"
#include "notation/idset.h"
#include "process/signals/interrupt.h"

namespace fq::cli {

struct AttachOptions {
  std::string_view command;  ///< who speaks in messages: `fq-run`
  bool label_io = false;     ///< `RANK: ` before each line
  /// What it counts goes to the job as INT; twice within 2 s cancel it. Not owned; null: none.
  process::InterruptCounter* interrupts = nullptr;
  bool interrupt_leaves = false;  ///< instead, the first of them ends this and leaves the job alone
  /// What comes on stdin goes to the tasks: never, where the job takes it (none: /dev/null or a file), or at
  /// once.
  enum class Input { none, if_taken, always };
  Input input = Input::none;
  bool unbuffered_input = false;  ///< as it comes; else whole lines
  /// The job's terminal, where it has one: not shown here, shown where stdout is a terminal, or in any case;
  /// and whether the job ends when this process goes away.
  enum class Terminal { none, on_terminal, always, owned };
  Terminal terminal = Terminal::on_terminal;
  std::optional<notation::Idset> input_ranks = {};  ///< tasks that get it; none: all
  AttachEvents::Options events = {};                ///< with an event to wait for, that ends it too
  bool show_redirects = false;                      ///< says which output goes to which file
  bool show_status = false;    ///< draws what a pending job waits for even where no terminal is
  bool verbose = false;        ///< where no terminal is: says that it waits for a prolog or epilog
  bool quiet = false;          ///< does not say what it waits for where no terminal is
  bool hide_messages = false;  ///< of the job's shell
};

struct Attached {
  job::Job job;
  bool left = false;         ///< the user left the job's terminal
  int signal = 0;            ///< ended this command while it showed the job's terminal
  bool interrupted = false;  ///< left because of an interrupt, or the job was canceled by one before it ran
};
/// Copies what the tasks write to stdout and stderr until the job has ended, or the event that is waited for
/// has come; of a damaged store what there is now. Then says on stderr how the job failed, if it did. Throws
/// Error{not_found}; Error{refused} for ranks of a job that takes no input, and for a job that ended without
/// the event.
Attached attach(const door::Door& door, notation::JobId id, const AttachOptions& options);

/// The exit code of the command: 130 where it was interrupted, 128 + the signal that ended it, 0 for a job
/// that is active still, else exit_code_with_output.
[[nodiscard]] int exit_code(const Attached& attached);

/// Says that the user left the job, which goes on.
void say_left(std::string_view command, notation::JobId id);

/// The events that so many -v ask for, the first of which shows the id: the job's, then its shell's.
[[nodiscard]] AttachEvents::Options shown_events(int verbose);

}  // namespace fq::cli
