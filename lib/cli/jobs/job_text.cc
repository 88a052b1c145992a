#include "cli/jobs/job_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <unordered_map>

#include <fmt/format.h>
#include <sys/wait.h>

#include "cli/frame/locale_text.h"
#include "notation/fsd.h"
#include "process/user/user_database.h"

namespace fq::cli {
namespace {

using job::State;

bool local_fields(double seconds, std::tm& fields) {
  if (!(std::fabs(seconds) < 1e15)) return false;
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  return ::localtime_r(&whole, &fields) != nullptr;
}

/// `begin@11:45:31` for a moment of the day of `now`, `begin@Dec24-18:00` for one of its year.
bool append_begin_time(std::string& out, std::string_view text, double now) {
  double begin = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), begin);
  std::tm at{};
  std::tm today{};
  if (status != std::errc{} || end != text.data() + text.size() || !local_fields(begin, at) ||
      !local_fields(now, today)) {
    return false;
  }
  const bool is_today = at.tm_year == today.tm_year && at.tm_yday == today.tm_yday;
  std::array<char, 64> buffer;
  const char* format = is_today                      ? "begin@%H:%M"
                       : at.tm_year == today.tm_year ? "begin@%b%d-%H:%M"
                                                     : "begin@%Y-%b%d-%H:%M";
  out.append(buffer.data(), std::strftime(buffer.data(), buffer.size(), format, &at));
  if (at.tm_sec > 0) out += fmt::format(":{:02}", at.tm_sec);
  return true;
}

void append_signal(std::string& out, int number) {
  if (const char* description = ::sigdescr_np(number)) {
    out += description;
  } else {
    out += fmt::format("Signal {}", number);
  }
}

void append_exit(std::string& out, int code) {
  if (code < 0) return append_signal(out, -code);
  if (code > 128) return append_signal(out, code - 128);
  // What shells mean by these codes.
  if (code == 126) {
    out += "Command invoked cannot execute";
  } else if (code == 127) {
    out += "command not found";
  } else if (code == 128) {
    out += "Invalid argument to exit";
  } else {
    out += fmt::format("Exit {}", code);
  }
}

}  // namespace

const std::string& user_name(std::uint32_t userid) {
  static std::unordered_map<std::uint32_t, std::string> known;
  const auto found = known.find(userid);
  return found != known.end() ? found->second
                              : known.emplace(userid, process::look_up_user_name(userid)).first->second;
}

void append_dependencies(std::string& out, const job::Job& job, double now) {
  constexpr std::string_view kBeginTime = "begin-time=";
  std::string_view separator;
  for (const std::string& dependency : job.dependencies) {
    out += separator;
    separator = ",";
    const bool is_time = dependency.starts_with(kBeginTime);
    if (!is_time || !append_begin_time(out, std::string_view{dependency}.substr(kBeginTime.size()), now)) {
      out += for_locale(dependency);
    }
  }
}

void append_inactive_reason(std::string& out, const job::Job& job) {
  const job::Exception& exception = job.exception;
  switch (job::result(job)) {
    case job::Result::none:
      return;
    case job::Result::timeout:
      out += "Timeout";
      return;
    case job::Result::canceled:
      out += "Canceled";
      if (exception.type == "cancel" && !exception.note.empty()) out += ": " + exception.note;
      return;
    case job::Result::failed:
      // An `exec` exception goes with the code of the shell or of its program.
      if (exception.occurred && exception.type != "exec" && exception.severity == 0) {
        out += "Exception: type=" + exception.type;
        if (!exception.note.empty()) out += " note=" + exception.note;
        return;
      }
      break;
    case job::Result::completed:
      break;
  }
  const int code = return_code(job).value_or(0);
  append_exit(out, code);
  // What the shell could not do is not told by its code; a program that does not run is.
  const bool told = code == 126 || code == 127;
  if (exception.occurred && exception.severity == 0 && !exception.note.empty() && !told) {
    out += ": " + exception.note;
  }
}

void append_contextual_info(std::string& out, const JobRow& row) {
  const job::Job& job = *row.job;
  switch (job.state) {
    case State::fresh:
      return;
    case State::depend:
      out += "depends:";
      append_dependencies(out, job, row.now);
      return;
    case State::priority:
      out += "priority-wait";
      return;
    case State::sched:
      if (row.t_estimate) {
        const double wait = *row.t_estimate - row.now;
        out += "eta:";
        out += wait < 0 ? "now" : notation::format_fsd(wait);
      } else if (job.urgency == job::kUrgencyHold) {
        out += "held";
      } else if (has_priority(job) && job.priority == 0) {
        out += "priority-hold";
      } else if (row.reason_pending) {
        out += *row.reason_pending;
      } else if (row.behind) {
        out += fmt::format("behind job {}", *row.behind);
      }
      return;
    case State::run:
    case State::cleanup:
    case State::inactive:
      out += job.nodelist;
      // One that was denied, or could not start for what it waited for.
      if (job.nodelist.empty() && job::result(job) == job::Result::failed) out += job.exception.note;
      if (job.state == State::cleanup && row.reason_pending) out += ": " + *row.reason_pending;
      if (job.prologs > 0) out += ": prolog";
      if (job.epilogs > 0) out += ": epilog";
  }
}

std::optional<int> return_code(const job::Job& job) {
  if (job.finished) {
    return WIFSIGNALED(job.wait_status) ? -WTERMSIG(job.wait_status) : WEXITSTATUS(job.wait_status);
  }
  switch (job::result(job)) {
    case job::Result::canceled:
      return -128;
    case job::Result::failed:
      return 1;
    default:
      return std::nullopt;
  }
}

bool has_priority(const job::Job& job) {
  return job.t_sched > 0;
}

JobSize size_of(const job::Job& job) {
  if (job.nnodes > 0) return {job.nnodes, job.ncores, job.ngpus};
  const document::ResourceCounts& asked = job.counts;
  if (asked.exclusive) return {asked.nnodes, 0, 0};
  return {asked.nnodes, std::uint64_t{asked.nslots} * asked.cores_per_slot,
          std::uint64_t{asked.nslots} * asked.gpus_per_slot};
}

double remaining(const job::Job& job, double now) {
  if (job.state != State::run || job.expiration <= now) return 0;
  return job.expiration - now;
}

}  // namespace fq::cli
