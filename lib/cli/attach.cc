#include "cli/attach.h"

#include <array>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/guest_file.h"
#include "cli/output.h"
#include "cli/output_reader.h"
#include "exec/control.h"
#include "exec/input_writer.h"
#include "exec/interrupt.h"
#include "exec/wake.h"
#include "manager/cancel.h"
#include "manager/finish.h"
#include "manager/wait.h"
#include "records/job_table.h"

namespace fq::cli {
namespace {

using notation::JobId;

class Attachment {
 public:
  Attachment(const manager::Session& session, JobId id, const AttachOptions& options)
      : session_(session),
        files_(session.files()),
        id_(id),
        options_(options),
        output_text_(options.label_io, [](OutputTo to, std::string_view text) {
          to == OutputTo::err ? print_error(text) : print(text);
        }) {}

  job::Job run() {
    exec::Waiter waiter(files_, std::span(&id_, 1));
    while (!ended_) {
      if (options_.interrupts != nullptr) pass_on(options_.interrupts->take());
      if (waiter.jobs_may_have_changed()) look();
      if (ended_) break;
      if (job::is_running(job_.state)) follow(waiter);
      if (waiter.input_ready()) forward_input(waiter);
      drain();
      static_cast<void>(waiter.wait(manager::kNoTimeout));
    }
    drain();
    say_failure();
    return job_;
  }

 private:
  // What the shell has already said in the output is not said twice.
  void say_failure() const {
    const auto text = failure_text(job_);
    const bool said =
        !output_text_.last_message().empty() && job_.exception.note == output_text_.last_message();
    if (text && !said) print_error(fmt::format("{}: {}\n", options_.command, *text));
  }

  void drain() {
    for (std::string_view bytes; !(bytes = output_.read_more()).empty();) output_text_.add(bytes);
  }

  void look() {
    std::optional<std::string> stored;
    manager::query_repaired(session_, [&](const store::Reader& reader) {
      auto found = records::find_job(reader, id_);
      if (!found) throw error(Kind::not_found, "job {} does not exist", id_);
      job_ = *std::move(found);
      ended_ = job_.state == job::State::inactive;
      if (ended_ && !output_.is_open()) stored = manager::read_guest(reader, files_, id_, "output");
    });
    if (stored) output_text_.add(*stored);
  }

  // Begins to follow the output, and to feed the input, of a job that has come to run.
  void follow(exec::Waiter& waiter) {
    if (!output_.is_open() && waiter.watch_file(files_.output(id_))) output_.try_open(files_.output(id_));
    if (options_.forward_stdin && !input_ && !input_ended_ && exists(files_.guest(id_))) {
      input_.emplace(files_, id_, job_.ntasks, session_.clock->now());
      waiter.watch_input(STDIN_FILENO);
    }
  }

  void forward_input(exec::Waiter& waiter) {
    std::array<char, 65536> buffer{};
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0) {
      input_->write({buffer.data(), static_cast<std::size_t>(n)}, session_.clock->now());
      return;
    }
    input_->close(session_.clock->now());
    input_.reset();
    input_ended_ = true;
    waiter.watch_input(-1);
  }

  void pass_on(int interrupts) {
    if (interrupts == 0) return;
    constexpr double kTwice_s = 2;
    const double now = session_.clock->boot_time();
    const bool again = interrupts > 1 || now - last_interrupt_ < kTwice_s;
    last_interrupt_ = now;
    const bool running = job_.state == job::State::run;
    if (!running || again) {
      manager::RaiseRequest cancel;
      cancel.ids = {id_};
      cancel.note = "interrupted";
      static_cast<void>(manager::raise(session_, cancel));
    } else {
      exec::write_control(files_, id_, exec::ControlSignal{SIGINT});
      print_error(fmt::format("{}: one more ctrl-C within 2 s cancels job {}\n", options_.command, id_));
    }
  }

  const manager::Session& session_;
  exec::JobFiles files_;
  JobId id_;
  const AttachOptions& options_;
  OutputReader output_text_;
  GuestFile output_;
  std::optional<exec::InputWriter> input_;
  bool input_ended_ = false;
  job::Job job_;
  bool ended_ = false;
  double last_interrupt_ = -1e9;
};

}  // namespace

std::optional<std::string> failure_text(const job::Job& job) {
  switch (job::result(job)) {
    case job::Result::completed:
    case job::Result::none:
      return std::nullopt;
    case job::Result::canceled:
      return job.exception.note.empty() ? "canceled" : fmt::format("canceled: {}", job.exception.note);
    case job::Result::timeout:
      return fmt::format("{}: {}", job.exception.type, job.exception.note);
    case job::Result::failed:
      break;
  }
  if (job.exception.occurred && job.exception.severity == 0) {
    return fmt::format("{}: {}", job.exception.type, job.exception.note);
  }
  const int code = job::exit_code(job);
  constexpr int kSignalBase = 128;
  if (code > kSignalBase && code < kSignalBase + NSIG) {
    return fmt::format("task(s) {}", ::strsignal(code - kSignalBase));
  }
  return fmt::format("task(s) exited with exit code {}", code);
}

job::Job attach(const manager::Session& session, JobId id, const AttachOptions& options) {
  return Attachment(session, id, options).run();
}

}  // namespace fq::cli
