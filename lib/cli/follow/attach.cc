#include "cli/follow/attach.h"

#include <algorithm>
#include <csignal>

#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/follow/attach_status.h"
#include "cli/follow/attach_ways.h"
#include "cli/follow/event_format.h"
#include "cli/follow/input_feed.h"
#include "cli/follow/job_failure.h"
#include "cli/follow/job_interrupts.h"
#include "cli/follow/job_terminal.h"
#include "cli/follow/output_reader.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "meeting/terminal_link.h"
#include "process/signals/interrupt.h"
#include "request/document.h"
#include "request/end.h"
#include "request/follow.h"
#include "request/wait.h"
#include "request/why.h"

namespace fq::cli {
namespace {

using notation::JobId;

constexpr double kTick_s = 1;
// Jobs before it in the queue: what is only told, and again and again, is not worth counting further.
constexpr std::size_t kMostCounted = 100;

class Attachment {
 public:
  Attachment(const door::Door& door, JobId id, const AttachOptions& options)
      : door_(door),
        id_(id),
        options_(options),
        output_text_(options.label_io, [this](OutputTo to, std::string_view text) { show(to, text); }),
        input_(options.unbuffered_input),
        wait_lines_(options.verbose && !options.events.job),
        events_(options.events, [this](std::string_view line) { show(OutputTo::err, line); }),
        interrupts_(door, id, std::string{options.command}),
        waiter_(door.waiter(std::span(&id_, 1))) {
    if (options.show_redirects) output_text_.show_redirects();
    if (options.hide_messages) output_text_.hide_messages();
    if (AttachStatus::is_wanted(options.show_status) && !options.events.job) {
      status_.emplace(options.command, door.clock().boot_time());
    }
  }

  Attached run() {
    while (!ended_) {
      const int interrupts = options_.interrupts != nullptr ? options_.interrupts->take() : 0;
      if (interrupts > 0 && options_.interrupt_leaves) {
        interrupted_ = true;
        return leave();
      }
      pass_on(interrupts);
      if (terminal_ && waiter_->input_ready()) take_terminal();
      if (left_ || signal_ != 0) return leave();
      if (waiter_->jobs_may_have_changed()) look();
      if (ended_) break;
      if (job::is_running(job_.state)) follow();
      begin_terminal();
      if (door_.has_read_damaged()) {
        end_terminal();
        drain();
        events_.show();
        return leave();
      }
      try {
        if (job::is_running(job_.state)) begin_input();
        if (input_.goes_on() && waiter_->input_ready()) forward_input();
      } catch (const Error& failure) {
        fail_input(failure);
      }
      drain();
      events_.show();
      if (events_.found()) return leave();
      if (status_) status_->draw(job_, reasons_, door_.clock().boot_time());
      static_cast<void>(waiter_->wait(status_ && status_->ticks() ? kTick_s : request::kNoTimeout));
    }
    drain();
    show_rest();
    events_.show();
    clear_status();
    if (options_.events.wait && !events_.found()) {
      throw Error{Kind::refused,
                  fmt::format("job {} ended without event {}", id_, quote(*options_.events.wait)),
                  event_hint(*options_.events.wait)};
    }
    say_failure();
    return {.job = job_, .interrupted = interrupted_ && !job_.finished};
  }

 private:
  Attached leave() {
    // A signal that comes once more, as at the end of a terminal, is not to end this process before all of it
    // is put away.
    if (signal_ == 0) terminal_.reset();
    clear_status();
    if (signal_ != 0) fault_point("terminal-signaled");
    return {.job = job_, .left = left_, .signal = signal_, .interrupted = interrupted_};
  }

  void show(OutputTo to, std::string_view text) {
    clear_status();
    const std::string shown = terminal_ ? terminal_->as_shown(text) : std::string{text};
    to == OutputTo::err ? print_error(shown) : print(shown);
  }

  void clear_status() {
    if (status_) status_->clear();
  }

  void say_wait() {
    if (const auto line = wait_lines_.next(job_, reasons_)) say(options_.command, *line);
  }

  // What the shell has already said in the output is not said twice.
  void say_failure() const {
    const auto text = failure_text_with_output(job_);
    const bool said =
        !output_text_.last_message().empty() && job_.exception.note == output_text_.last_message();
    if (text && !said) say(options_.command, *text);
  }

  void drain() {
    for (std::string_view bytes; !(bytes = read(exec_log_)).empty();) events_.take_exec(bytes);
    events_.show_beginning();
    drain_output();
  }

  // What the first task writes is shown once: by its terminal or, where that ended before it showed anything,
  // from the log. The terminal was there before the log had any of it, so it is looked for once more between
  // reading and showing.
  void drain_output() {
    while (!terminal_ || terminal_->began()) {
      if (unshown_.empty()) unshown_ = read(output_);
      if (unshown_.empty()) return;
      begin_terminal();
      if (terminal_ && !terminal_->began()) return;
      output_text_.add(unshown_);
      unshown_.clear();
    }
  }

  void look() {
    request::FollowReply reply = door_.ask(request());
    job_ = std::move(reply.job);
    leave_last_run();
    ended_ = job_.state == job::State::inactive;
    events_.set_job(id_, job_.t_submit);
    if (!ways_) ways_ = find_ways(options_, job_, reply.jobspec);
    reasons_ = std::move(reply.reasons);
    if (ended_) end_terminal();
    if (reply.eventlog) events_.take_job(*reply.eventlog);
    if (events_.wants_exec()) {
      auto& exec_log = reply.logs[kExecLog];
      for (std::string_view bytes; exec_log && !(bytes = exec_log->read()).empty();) events_.take_exec(bytes);
    }
    events_.show_beginning();
    auto& output = reply.logs[kOutput];
    for (std::string_view bytes; output && !(bytes = output->read()).empty();) output_text_.add(bytes);
    check_input_ranks(options_, job_, *ways_);
    if (!status_) say_wait();
  }

  // The places of the logs in a request; that of the shell's events is there where these are wanted.
  static constexpr std::size_t kOutput = 0, kExecLog = 1;

  [[nodiscard]] request::FollowRequest request() const {
    using Eventlog = request::FollowRequest::Eventlog;
    request::FollowRequest request;
    request.id = id_;
    if (events_.wants_notes()) request.eventlog = Eventlog::with_exception;
    if (events_.wants_job()) request.eventlog = Eventlog::always;
    request.logs.push_back({"output", is_open(output_) ? followed_since_ : 0});
    if (events_.wants_exec())
      request.logs.push_back({"exec.eventlog", is_open(exec_log_) ? followed_since_ : 0});
    request.jobspec = !ways_ && asks_jobspec(options_);
    if (status_ || !options_.quiet) request.count_reasons = kMostCounted;
    return request;
  }

  void begin_terminal() {
    if (terminal_ || !ways_ || !ways_->has_terminal || ended_ || job_.state != job::State::run) return;
    if (followed_since_ != job_.t_run) return;
    auto link = door_.terminal(id_);
    if (!link) return fault_point("terminal-missing");
    clear_status();
    const bool writes = options_.terminal == AttachOptions::Terminal::on_terminal
                            ? options_.input != AttachOptions::Input::none && ::isatty(STDIN_FILENO) == 1
                            : true;
    terminal_.emplace(std::move(*link),
                      JobTerminal::Options{.command = options_.command,
                                           .writes = writes,
                                           .owns = options_.terminal == AttachOptions::Terminal::owned,
                                           .logged = ways_->logs_terminal});
    waiter_->watch_inputs(terminal_->watched());
  }

  void take_terminal() {
    const JobTerminal::Outcome outcome = terminal_->take();
    if (terminal_->began()) output_text_.leave_out(0);
    switch (outcome) {
      case JobTerminal::Outcome::goes_on:
        waiter_->watch_inputs(terminal_->watched());
        return;
      case JobTerminal::Outcome::left:
        left_ = true;
        break;
      case JobTerminal::Outcome::killed:
        signal_ = terminal_->signal();
        return;
      case JobTerminal::Outcome::over:
      case JobTerminal::Outcome::lost:
        break;
    }
    put_terminal_away();
  }

  // The job's end is told in the same moment as that of its terminal.
  void end_terminal() {
    if (!terminal_) return;
    terminal_->show_rest();
    put_terminal_away();
  }

  void put_terminal_away() {
    if (terminal_->began()) {
      output_text_.leave_out(0);
      rest_from_ = terminal_->unshown_from();
    }
    terminal_.reset();
    waiter_->watch_input(-1);
  }

  // What was not shown of the terminal stands in the log, which has been read past it.
  void show_rest() {
    if (!rest_from_ || !ways_->logs_terminal) return;
    auto log = door_.ask(request::guest_document(id_, "output")).bytes;
    OutputReader rest(options_.label_io, [this](OutputTo to, std::string_view text) { show(to, text); });
    rest.show_only(0, *rest_from_);
    for (std::string_view bytes; log && !(bytes = log->read()).empty();) rest.add(bytes);
  }

  // A job that was requeued writes its output anew.
  void leave_last_run() {
    if (followed_since_ == 0 || followed_since_ == job_.t_run) return;
    end_terminal();
    drain();
    output_.reset();
    exec_log_.reset();
    output_text_.begin_again();
    rest_from_.reset();
    followed_since_ = 0;
  }

  // Begins to follow the output of a job that has come to run.
  void follow() {
    followed_since_ = job_.t_run;
    waiter_->watch_guest();
    open(output_, "output");
    if (events_.wants_exec()) open(exec_log_, "exec.eventlog");
  }

  void open(std::unique_ptr<door::GuestFile>& file, const char* name) {
    if (!file) file = door_.guest_file(id_, name);
    file->try_open();
  }
  static bool is_open(const std::unique_ptr<door::GuestFile>& file) { return file && file->is_open(); }
  static std::string_view read(const std::unique_ptr<door::GuestFile>& file) {
    return file ? file->read_more() : std::string_view{};
  }

  // Begins to feed its input.
  void begin_input() {
    if (!ways_->takes_input || input_.has_begun()) return;
    input_.begin(door_, id_, job_.ntasks, options_.input_ranks);
    if (!input_.has_begun()) return;
    waiter_->watch_input(STDIN_FILENO);
  }

  void forward_input() {
    if (!input_.forward()) waiter_->watch_input(-1);
  }

  // A job would wait for its input for ever, or take a part of it for the whole. Where the input is another
  // command's, too, that is not for this one to decide.
  void fail_input(const Error& failure) {
    if (options_.input != AttachOptions::Input::always) throw failure;
    input_.stop();
    waiter_->watch_input(-1);
    request::RaiseRequest exception;
    exception.ids = {id_};
    exception.type = "exec";
    exception.note = failure.what();
    static_cast<void>(door_.ask(exception));
  }

  void pass_on(int interrupts) {
    if (interrupts == 0) return;
    // The user may have seen the job run before this process was told.
    look();
    if (ended_) return;
    if (interrupts_.pass_on(interrupts, job_.state == job::State::run)) interrupted_ = true;
  }

  const door::Door& door_;
  JobId id_;
  const AttachOptions& options_;
  OutputReader output_text_;
  double followed_since_ = 0;                ///< the start of the run whose output that is
  std::unique_ptr<door::GuestFile> output_;  ///< none: not looked for yet
  std::string unshown_;  ///< read of it, while it is not known whether the terminal shows it
  InputFeed input_;
  WaitLines wait_lines_;
  std::optional<AttachWays> ways_;  ///< none: not looked at yet
  AttachEvents events_;
  std::unique_ptr<door::GuestFile> exec_log_;
  JobInterrupts interrupts_;
  std::optional<AttachStatus> status_;
  std::vector<request::Reason> reasons_;  ///< why a pending job has not started
  job::Job job_;
  std::optional<JobTerminal> terminal_;
  std::optional<std::uint64_t> rest_from_;  ///< from where on it was not shown
  bool left_ = false;                       ///< the user left it
  int signal_ = 0;                          ///< what ended this command while it showed the terminal
  bool ended_ = false;
  bool interrupted_ = false;
  std::unique_ptr<door::Waiter> waiter_;
};

}  // namespace

int exit_code(const Attached& attached) {
  if (attached.interrupted) return kInterrupted;
  constexpr int kSignalBase = 128;
  if (attached.signal != 0) return kSignalBase + attached.signal;
  if (attached.job.state != job::State::inactive) return 0;
  return exit_code_with_output(attached.job);
}

void say_left(std::string_view command, JobId id) {
  say(command, fmt::format("left job {0}, which goes on (fq job attach {0} returns to it)", id));
}

AttachEvents::Options shown_events(int verbose) {
  return {.job = verbose > 1, .exec = verbose > 2, .wait = {}};
}

Attached attach(const door::Door& door, JobId id, const AttachOptions& options) {
  return Attachment(door, id, options).run();
}

}  // namespace fq::cli
