#include "cli/follow/job_watch.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/follow/event_format.h"
#include "cli/follow/job_failure.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "door/door.h"
#include "request/byte_stream.h"
#include "request/document.h"
#include "request/watch.h"

namespace fq::cli {
namespace {

using notation::JobId;

constexpr std::string_view kLast = "clean";
constexpr std::string_view kExecKeys = "exec.";
constexpr double kRedraw_s = 0.25;
constexpr double kPoll_s = 5;         ///< a change that nobody told of is seen after so long
constexpr int kPollsPerSweep = 12;    ///< and all jobs are looked at after so many
constexpr double kWatchRest = 10;     ///< a look may take this part of the time, and
constexpr double kLongestRest_s = 1;  ///< the next one comes so late at the most

/// Events that come only to jobs that run or have ended.
bool comes_late(std::string_view event) {
  constexpr std::array<std::string_view, 10> kLate{"alloc",  "prolog-start", "prolog-finish", "start",
                                                   "finish", "epilog-start", "epilog-finish", "release",
                                                   "free",   kLast};
  return event.starts_with(kExecKeys) || std::find(kLate.begin(), kLate.end(), event) != kLate.end();
}

int code_of(const job::Job& job, bool output) {
  if (job.state == job::State::inactive) return output ? exit_code_with_output(job) : job::exit_code(job);
  if (!job.finished) return 0;
  constexpr int kSignalBase = 128;
  return WIFSIGNALED(job.wait_status) ? kSignalBase + WTERMSIG(job.wait_status)
                                      : WEXITSTATUS(job.wait_status);
}

/// `text` with `prefix` before each line.
std::string with_prefix(std::string_view text, const std::string& prefix) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.append(prefix).append(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace

JobWatch::JobWatch(const door::Door& door, const WatchOptions& options, JobOutlets& outlets,
                   Progress* progress)
    : door_(door), options_(options), outlets_(outlets), progress_(progress) {}

bool JobWatch::needs_logs(const JobFollow& follow) const {
  return options_.output || options_.verbose > 1 || follow.wait_event.value_or(std::string{kLast}) != kLast;
}

void JobWatch::add(JobId id, const JobFollow& follow) {
  Watched job{id, &follow, Status::pending, nullptr};
  if (needs_logs(follow)) {
    job.logs = std::make_unique<Logs>();
    const std::string event = follow.wait_event.value_or(std::string{kLast});
    job.logs->waits_exec = event.starts_with(kExecKeys);
    each_log_ = each_log_ || options_.verbose > 1 || !comes_late(event);
    if (options_.output) {
      const std::string prefix = options_.label_io ? fmt::format("{}: ", id) : std::string{};
      job.logs->output = std::make_unique<OutputReader>(
          options_.label_io, [this, id, prefix, to_follow = &follow](OutputTo to, std::string_view text) {
            outlets_.write(*to_follow, id, to,
                           prefix.empty() ? std::string{text} : with_prefix(text, prefix));
          });
    }
  }
  jobs_.push_back(std::move(job));
  ++left_;
  ++counts_[static_cast<int>(Status::pending)];
}

void JobWatch::begin() {
  std::sort(jobs_.begin(), jobs_.end(), [](const Watched& a, const Watched& b) { return a.id < b.id; });
  request_.jobs.reserve(jobs_.size());
  for (const Watched& job : jobs_) {
    request::WatchedJob& watched = request_.jobs.emplace_back(request::WatchedJob{job.id});
    if (!job.logs) continue;
    watched.eventlog = true;
    watched.exec = job.logs->waits_exec;
    watched.output = job.logs->output != nullptr;
  }
}

int JobWatch::run(process::InterruptCounter& interrupts) {
  begin();
  std::vector<JobId> ids;
  if (jobs_.size() <= door::Waiter::kMostNamed) {
    for (const Watched& job : jobs_) ids.push_back(job.id);
  }
  const auto waiter = door_.waiter(ids);
  const auto has_logs = [](const Watched& job) { return job.logs != nullptr; };
  if (std::any_of(jobs_.begin(), jobs_.end(), has_logs)) waiter->watch_guest();
  const Clock& clock = door_.clock();
  double next_look = 0, last_look = 0;
  bool stale = true;
  while (left_ > 0) {
    if (interrupts.take() > 0) {
      if (progress_ != nullptr) progress_->clear();
      cli::say(options_.command,
               fmt::format("interrupted: {} {} on", counted(left_, "job"), left_ == 1 ? "goes" : "go"));
      return kInterrupted;
    }
    const double now = clock.boot_time();
    if ((stale && now >= next_look) || now - last_look >= kPoll_s) {
      look();
      last_look = clock.boot_time();
      next_look = last_look + std::min(kWatchRest * (last_look - now), kLongestRest_s);
      stale = false;
    }
    read_files();
    draw();
    if (left_ == 0) break;
    double wait_s = kPoll_s;
    if (stale) wait_s = std::max(next_look - clock.boot_time(), 0.0);
    if (progress_ != nullptr && progress_->is_shown()) wait_s = std::min(wait_s, kRedraw_s);
    if (waiter->wait(wait_s) && waiter->jobs_may_have_changed()) stale = true;
  }
  outlets_.flush();
  draw();
  return code_;
}

void JobWatch::look() {
  // Now and then all are looked at, in case a job was passed over.
  request_.all = each_log_ || (idle_ > 0 && idle_ % kPollsPerSweep == 0);
  request::WatchReply reply = door_.ask(request_);
  if (!request_.ended_since) {
    first_submit_ = reply.t_submit.value_or(door_.clock().now());
    request_.ended_since = reply.t_submit.value_or(0);
  }
  idle_ = reply.news.empty() ? idle_ + 1 : 0;
  for (request::WatchNews& news : reply.news) take(news);
}

void JobWatch::take(request::WatchNews& news) {
  Watched& job = jobs_[news.index];
  if (!news.job) return finish(news.index, std::nullopt);
  const job::Job& record = *news.job;
  const bool ended = record.state == job::State::inactive;
  set_status(job, record);
  if (ended) request_.ended_since = std::max(*request_.ended_since, record.t_inactive);
  if (job.logs) {
    take_events(job, *news.eventlog);
    if (job::is_running(record.state)) follow_files(news.index);
    take_stored(job, news.exec, "exec.eventlog", [&](std::string_view bytes) { take_exec(job, bytes); });
    take_stored(job, news.output, "output", [&](std::string_view bytes) { job.logs->output->add(bytes); });
    if (ended) drain(job);  // the store gave what was not open
  }
  if (ended || (job.logs && job.logs->found)) finish(news.index, record);
}

template <typename Take>
void JobWatch::take_stored(const Watched& job, const request::StoredLog& stored, std::string_view name,
                           const Take& take) {
  if (stored.value) take(*stored.value);
  if (!stored.is_file) return;
  std::optional<request::ByteStream> file;
  const auto next = [&]() -> std::string_view {
    try {
      if (!file)
        file = door_.ask(request::guest_document(job.id, name)).bytes.value_or(request::ByteStream{});
      return file->read();
    } catch (const Error& failure) {
      code_ = std::max(code_, 1);
      say(job, failure.what());
      return {};
    }
  };
  for (std::string_view bytes; !(bytes = next()).empty();) take(bytes);
}

void JobWatch::say(const Watched& job, std::string_view text) {
  outlets_.write(*job.follow, job.id, OutputTo::err,
                 fmt::format("{}: {}: {}\n", options_.command, job.id, printable(text)));
}

void JobWatch::take_events(Watched& job, std::string_view text) {
  const std::string event_name = job.follow->wait_event.value_or(std::string{kLast});
  const std::string_view more =
      text.substr(std::min(std::exchange(job.logs->seen, text.size()), text.size()));
  for (const document::Event& event : document::decode_eventlog(more)) {
    if (job.logs->found) return;
    tell(job, event, "");
    if (event.name == event_name) job.logs->found = true;
  }
}

void JobWatch::take_exec(Watched& job, std::string_view bytes) {
  Logs& logs = *job.logs;
  logs.exec_unread += bytes;
  const std::string_view whole = document::whole_lines(logs.exec_unread);
  for (const document::Event& event : document::decode_eventlog(whole)) {
    if (logs.found) break;
    tell(job, event, kExecKeys);
    if (fmt::format("{}{}", kExecKeys, event.name) == job.follow->wait_event) logs.found = true;
  }
  logs.exec_unread.erase(0, whole.size());
}

void JobWatch::follow_files(std::size_t index) {
  Watched& job = jobs_[index];
  if (!job.logs->waits_exec && !job.logs->output) return;
  if (std::find(followed_.begin(), followed_.end(), index) == followed_.end()) followed_.push_back(index);
  open_files(index);
  drain(job);
}

void JobWatch::open_files(std::size_t index) {
  Watched& job = jobs_[index];
  const auto open = [&](std::unique_ptr<door::GuestFile>& file, const char* name) {
    if (!file) file = door_.guest_file(job.id, name);
    file->try_open();
    return file->is_open();
  };
  request::WatchedJob& watched = request_.jobs[index];
  watched.exec = job.logs->waits_exec && !open(job.logs->exec_file, "exec.eventlog");
  watched.output = job.logs->output && !open(job.logs->output_file, "output");
}

bool JobWatch::is_over(std::size_t index) const {
  return request_.jobs[index].is_over;
}

void JobWatch::leave(std::size_t index) {
  request_.jobs[index].is_over = true;
  --left_;
}

void JobWatch::drain(Watched& job) {
  Logs& logs = *job.logs;
  const auto read = [](const std::unique_ptr<door::GuestFile>& file) {
    return file ? file->read_more() : std::string_view{};
  };
  for (std::string_view bytes; !(bytes = read(logs.exec_file)).empty();) take_exec(job, bytes);
  for (std::string_view bytes; !(bytes = read(logs.output_file)).empty();) logs.output->add(bytes);
}

void JobWatch::read_files() {
  for (const std::size_t index : followed_) {
    if (is_over(index)) continue;
    Watched& job = jobs_[index];
    open_files(index);
    drain(job);
    if (job.logs->found) leave(index);
  }
  std::erase_if(followed_, [this](std::size_t index) { return is_over(index); });
}

void JobWatch::set_status(Watched& job, const job::Job& record) {
  Status status = Status::pending;
  if (job::is_running(record.state)) status = Status::running;
  if (record.state == job::State::inactive) {
    status = job::result(record) == job::Result::completed ? Status::complete : Status::failed;
  }
  --counts_[static_cast<int>(std::exchange(job.status, status))];
  ++counts_[static_cast<int>(status)];
}

void JobWatch::finish(std::size_t index, const std::optional<job::Job>& record) {
  const Watched& job = jobs_[index];
  leave(index);
  if (!record) {
    code_ = std::max(code_, 1);
    return say(job, "the job does not exist any more");
  }
  code_ = std::max(code_, code_of(*record, options_.output));
  if (record->state != job::State::inactive) return;
  const bool completed = job::result(*record) == job::Result::completed;
  // What the shell has already said in the output is not said twice.
  const bool said = job.logs && job.logs->output && !job.logs->output->last_message().empty() &&
                    job.logs->output->last_message() == record->exception.note;
  // Of tasks that failed the code says enough.
  const bool by_exception = record->exception.occurred && (completed || record->exception.severity == 0);
  const auto failure = options_.output ? failure_text_with_output(*record) : failure_text(*record);
  if (failure && by_exception && !said) say(job, *failure);
  if (options_.verbose > 0) {
    outlets_.write(*job.follow, job.id, OutputTo::err,
                   fmt::format("{}: {:.3f}s: {}: status={}\n", job.id, record->t_inactive - first_submit_,
                               completed ? "complete" : "failed", record->wait_status));
  }
  const bool waited = job.follow->wait_event.value_or(std::string{kLast}) != kLast;
  if (waited && !job.logs->found) {
    code_ = std::max(code_, 1);
    const std::string hint = event_hint(*job.follow->wait_event);
    say(job, fmt::format("it ended without event {}{}", quote(*job.follow->wait_event),
                         hint.empty() ? "" : fmt::format(" ({})", hint)));
  }
}

void JobWatch::tell(const Watched& job, const document::Event& event, std::string_view prefix) {
  if (options_.verbose < 2) return;
  std::string line;
  EventPrinter{EventFormat::text, EventTime::raw, false}.append(line, event);
  outlets_.write(*job.follow, job.id, OutputTo::err,
                 fmt::format("{}: {:.3f}s: {}{}", job.id, event.timestamp - first_submit_, prefix,
                             line.substr(line.find(' ') + 1)));
}

void JobWatch::draw() {
  if (progress_ == nullptr) return;
  progress_->update(
      fmt::format("PD:{:<3} R:{:<3} CD:{:<3} F:{:<3} ", counts_[0], counts_[1], counts_[2], counts_[3]),
      jobs_.size() - left_, jobs_.size());
}

}  // namespace fq::cli
