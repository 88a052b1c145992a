#include "manager/look/why.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "document/event/eventlog.h"
#include "document/jobspec/jobspec.h"
#include "document/jobspec/shell_options.h"
#include "job/events.h"
#include "manager/core/clock_text.h"
#include "manager/core/hidden_jobs.h"
#include "manager/look/pending_reasons.h"
#include "manager/look/query.h"
#include "manager/pass/preemption.h"
#include "records/keys.h"

namespace fq::manager {

using notation::JobId;
using store::Family;

namespace {

std::string how_it_ended(const job::Job& job) {
  const job::Exception& exception = job.exception;
  if (exception.occurred && exception.severity == 0) {
    if (exception.note.empty()) return ": " + exception.type;
    // Some notes begin with what they are about.
    return exception.note.starts_with(exception.type + " ")
               ? ": " + exception.note
               : fmt::format(": {}: {}", exception.type, exception.note);
  }
  const int code = job::exit_code(job);
  return code == 0 ? std::string{} : fmt::format(": exit code {}", code);
}

// Whether the disk takes no more from this user. A job goes on once it does.
bool is_full(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return false;
  return (::geteuid() == 0 ? info.f_bfree : info.f_bavail) == 0;
}

// Where its output goes, as far as that is the same for all tasks and named without what only its shell
// knows: a file that is there, which may be a link to another disk, else its directory.
std::vector<std::string> output_places(const store::Reader& reader, const job::Job& job) {
  std::vector<std::string> found;
  const auto text = reader.get(Family::kvs, records::key::jobspec(job.id));
  if (!text) return found;
  const document::ShellOptions options = document::parse_shell_options(document::Jobspec::parse(*text));
  for (const document::StreamOption* stream : {&options.out, &options.err}) {
    const auto within = [&](const std::string& path) {
      return path.front() == '/' ? path : job.cwd + '/' + path;
    };
    const std::string fixed = stream->path.substr(0, stream->path.find("{{"));
    if (!fixed.empty() && fixed.size() == stream->path.size() && exists(within(fixed))) {
      found.push_back(within(fixed));
      continue;
    }
    const std::size_t slash = fixed.rfind('/');
    if (slash != std::string::npos) found.push_back(within(slash == 0 ? "/" : fixed.substr(0, slash)));
  }
  return found;
}

// Of a job that runs or is cleaned up: where what it writes waits for room, in the store or, for files of its
// own, where they are or it runs.
std::optional<Reason> full_disk(const store::Reader& reader, const meeting::JobFiles& files,
                                const job::Job& job) {
  std::vector<std::string> places{files.guest(job.id), job.cwd};
  for (std::string& place : output_places(reader, job)) places.push_back(std::move(place));
  for (const std::string& place : places) {
    if (place.empty() || !is_full(place)) continue;
    const std::string& shown = place == places.front() ? files.store() : place;
    return Reason{Reason::Kind::note,
                  fmt::format("the disk of {} is full: what it writes there waits for room", quote(shown))};
  }
  return std::nullopt;
}

std::vector<Reason> reasons_of_state(const store::Reader& reader, const Session& session, ListedJob listed,
                                     std::size_t most_counted) {
  const job::Job& job = listed.job;
  switch (job.state) {
    case job::State::fresh:
    case job::State::priority:
    case job::State::depend:
    case job::State::sched:
      return pending_reasons(reader, session, std::move(listed), most_counted);
    case job::State::run: {
      std::vector<Reason> reasons{
          {Reason::Kind::state, fmt::format("it runs on {} since {}", job.nodelist, clock_text(job.t_run))}};
      if (job.prologs > 0)
        reasons.push_back({Reason::Kind::state, "its prolog is run before its tasks start"});
      if (job.preemption != job::Preemption::none)
        reasons.push_back({Reason::Kind::state, preemption_text(job)});
      if (auto full = full_disk(reader, session.files(), job)) reasons.push_back(*std::move(full));
      return reasons;
    }
    case job::State::cleanup: {
      std::vector<Reason> reasons{
          {Reason::Kind::state, fmt::format("it is being cleaned up since {}", clock_text(job.t_cleanup))}};
      if (job.prologs > 0) reasons.push_back({Reason::Kind::state, "its prolog is being ended"});
      if (job.epilogs > 0)
        reasons.push_back({Reason::Kind::state, "its epilog is run, and it holds what it has until then"});
      if (job.requeues) reasons.push_back({Reason::Kind::state, requeue_text(job)});
      if (listed.reason_pending) reasons.push_back({Reason::Kind::state, *listed.reason_pending});
      if (auto full = full_disk(reader, session.files(), job)) reasons.push_back(*std::move(full));
      return reasons;
    }
    case job::State::inactive:
      return {{Reason::Kind::state, fmt::format("it ended as {} at {}{}", job::status(job),
                                                clock_text(job.t_inactive), how_it_ended(job))}};
  }
  return {};
}

}  // namespace

std::vector<Reason> why(const store::Reader& reader, const Session& session, JobId id,
                        std::size_t most_counted) {
  Rights rights(reader, session.caller);
  ListedJob listed = find_listed(reader, id);
  // Of a job that has not run the record says whether there was one: those that wait are asked about often.
  const job::Job& job = listed.job;
  const bool without = job::is_pending(job.state) && job.requeues == 0 && !job.exception.occurred;
  std::vector<Reason> reasons = reasons_of_state(reader, session, std::move(listed), most_counted);
  for (Reason& reason : reasons) reason.text = without_hidden_jobs(rights, std::move(reason.text));
  if (without) return reasons;
  const std::string log = reader.get(Family::kvs, records::key::eventlog(id)).value_or("");
  bool finished = false;
  for (const document::Event& event : document::decode_eventlog(log)) {
    if (event.name == job::events::kFinish) finished = true;
    if (event.name == "free") finished = false;
    if (event.name != job::events::kException) continue;
    const int severity = event.context.value("severity", 0);
    const std::string note = without_hidden_jobs(rights, event.context.value("note", ""));
    // One that ended the job is told as its end, and others like it follow from it.
    if (severity == 0 && !finished) continue;
    reasons.push_back(
        {Reason::Kind::note, fmt::format("exception of severity {}{}: {}{}{}", severity,
                                         severity == 0 ? ", after its tasks had ended" : "",
                                         event.context.value("type", ""), note.empty() ? "" : ": ", note)});
  }
  return reasons;
}

std::vector<Reason> why(const Session& session, JobId id) {
  std::vector<Reason> reasons;
  query_repaired(session, [&](const store::Reader& reader) {
    static_cast<void>(Rights(reader, session.caller).require_job(id));
    reasons = why(reader, session, id);
  });
  return reasons;
}

}  // namespace fq::manager
