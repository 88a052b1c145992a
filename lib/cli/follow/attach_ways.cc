#include "cli/follow/attach_ways.h"

#include <algorithm>

#include <unistd.h>

#include "base/error.h"
#include "cli/follow/input_feed.h"
#include "cli/frame/output.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/shell_options.h"

namespace fq::cli {

bool asks_jobspec(const AttachOptions& options) {
  return options.input == AttachOptions::Input::if_taken || options.terminal != AttachOptions::Terminal::none;
}

AttachWays find_ways(const AttachOptions& options, const job::Job& job,
                     const std::optional<std::string>& jobspec) {
  using Input = AttachOptions::Input;
  using Terminal = AttachOptions::Terminal;
  AttachWays ways;
  ways.takes_input =
      options.input == Input::always || (options.input == Input::if_taken && options.input_ranks.has_value());
  const bool ended = job.state == job::State::inactive;
  const bool in_vain = options.input == Input::if_taken && InputFeed::is_given_file();
  if (ended && in_vain)
    say(options.command, fmt::format("job {} has ended and takes no standard input", job.id));
  if (!jobspec) return ways;
  const document::ShellOptions shell = document::parse_shell_options(document::Jobspec::parse(*jobspec));
  if (options.input == Input::if_taken) ways.takes_input = shell.stdin_service;
  if (in_vain && !ways.takes_input) {
    say(options.command, fmt::format("job {} takes no standard input from outside (fq submit -o "
                                     "input.stdin.type=service makes one that does)",
                                     job.id));
  }
  if (!shell.pty || !shell.pty->interactive) return ways;
  ways.logs_terminal = shell.pty->capture && shell.out.path.empty();
  if (options.input == Input::always) ways.takes_input = shell.stdin_service;
  ways.has_terminal = options.terminal == Terminal::always || options.terminal == Terminal::owned ||
                      (options.terminal == Terminal::on_terminal && ::isatty(STDOUT_FILENO) == 1);
  return ways;
}

void check_input_ranks(const AttachOptions& options, const job::Job& job, const AttachWays& ways) {
  if (!options.input_ranks) return;
  if (!ways.takes_input) throw error(Kind::refused, "job {} takes no standard input from outside", job.id);
  const notation::Idset all = notation::Idset::from_range(0, std::max(job.ntasks, 1U) - 1);
  if (!all.includes(*options.input_ranks)) {
    throw error(Kind::invalid, "job {} has tasks {}, not {}", job.id, all.encode(),
                options.input_ranks->subtract(all).encode());
  }
}

}  // namespace fq::cli
