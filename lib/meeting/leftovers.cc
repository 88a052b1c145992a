#include "meeting/leftovers.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>
#include <poll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "meeting/imp_kill.h"
#include "meeting/session_log.h"
#include "meeting/task_record.h"
#include "meeting/tmpdir.h"
#include "process/start/find_program.h"
#include "process/tree/cgroup.h"
#include "process/tree/job_mark.h"
#include "process/tree/process_tree.h"

namespace fq::meeting {
namespace {

TaskRecords read_records(const JobFiles& files, notation::JobId id) {
  return decode_records(read_file_if_exists(files.tasks(id)).value_or("") +
                        read_file_if_exists(sessions_path(files, id)).value_or(""));
}

const std::string kMarkPrefix = fmt::format("{}=", process::kMarkName);

/// Which processes are roots of what is left of an attempt and those before it.
class Roots {
 public:
  Roots(const JobFiles& files, notation::JobId id, std::uint32_t attempt)
      : records_(read_records(files, id)),
        attempt_(attempt),
        mark_(kMarkPrefix + process::job_mark(files.identity(), id)) {
    const std::string boot = boot_id();
    for (const TaskRecord& task : records_.tasks) {
      if (task.boot_id == boot && task.attempt <= attempt) tasks_[task.pid] = task.start_time;
    }
    for (const SessionRecord& session : records_.sessions) {
      if (session.boot_id == boot && session.attempt <= attempt) sessions_.emplace(session.id, session);
    }
  }

  /// Takes `all` processes that there are now, and then reads who is in the control groups: who got a pid
  /// that was given again in between has another start time there, and is left for the next look.
  void look_at(const std::vector<process::ProcessStat>& all) {
    start_times_.clear();
    for (const process::ProcessStat& process : all) start_times_[process.pid] = process.start_time;
    members_.clear();
    for (const PlaceRecord& place : records_.places) {
      if (place.kind != PlaceRecord::Kind::cgroup || place.attempt > attempt_) continue;
      for (const pid_t pid : process::job_cgroup_members(place.path)) members_.insert(pid);
    }
  }

  /// With what the environments begin that tell the attempts.
  [[nodiscard]] const std::string& mark() const { return mark_; }

  /// Without the mark in the environment, which tells the jobs of one store from those of others.
  [[nodiscard]] bool is_recorded(const process::ProcessStat& process) const {
    const auto task = tasks_.find(process.pid);
    return (task != tasks_.end() && task->second == process.start_time) || members_.contains(process.pid) ||
           is_in_recorded_session(process);
  }

 private:
  [[nodiscard]] bool is_in_recorded_session(const process::ProcessStat& process) const {
    const auto [first, last] = sessions_.equal_range(process.session);
    return std::any_of(first, last,
                       [&](const auto& each) { return is_in_session(process, each.second, start_times_); });
  }

  TaskRecords records_;
  std::uint32_t attempt_;
  std::string mark_;
  std::unordered_map<pid_t, std::uint64_t> tasks_;          ///< start times of recorded pids
  std::unordered_multimap<pid_t, SessionRecord> sessions_;  ///< by id
  std::map<pid_t, std::uint64_t> start_times_;              ///< of all processes, at the last look
  std::unordered_set<pid_t> members_;
};

struct ShellOf {
  std::string store;
  std::string job;
};

// By the arguments that start_shell gives it; nothing for other processes.
std::optional<ShellOf> shell_of(const process::ProcessStat& process) {
  std::vector<std::string> words = process::arguments(process.pid);
  if (words.size() != 4 || words[0] != "fq-shell" || words[1] != "--store") return std::nullopt;
  return ShellOf{std::move(words[2]), std::move(words[3])};
}

}  // namespace

bool any_alive(const JobFiles& files, const std::vector<AttemptOf>& jobs,
               const std::function<bool(const std::string& store)>& is_original) {
  const std::vector<process::ProcessStat> all = process::read_processes();
  std::vector<ShellOf> shells;
  for (const process::ProcessStat& process : all) {
    if (auto shell = shell_of(process)) shells.push_back(std::move(*shell));
  }
  return std::any_of(jobs.begin(), jobs.end(), [&](const AttemptOf& job) {
    const std::string name = notation::to_dothex(job.id);
    const bool has_shell = std::any_of(shells.begin(), shells.end(), [&](const ShellOf& shell) {
      return shell.job == name && is_original(shell.store);
    });
    if (has_shell) return true;
    Roots roots(files, job.id, job.attempt);
    roots.look_at(all);
    return std::any_of(all.begin(), all.end(), [&](const process::ProcessStat& process) {
      return roots.is_recorded(process) && process::lives(process);
    });
  });
}

const ProcessLooks::Look& ProcessLooks::look_at(std::size_t look) {
  std::optional<Look>& taken = looks_.at(look);
  if (!taken) {
    taken.emplace().processes = process::read_processes();
    for (const process::ProcessStat& process : taken->processes) {
      auto marks = process::environment_entries(process.pid, kMarkPrefix);
      if (!marks.empty()) taken->marks.emplace(process.pid, std::move(marks));
    }
  }
  return *taken;
}

const std::vector<process::ProcessStat>& ProcessLooks::all(std::size_t look) {
  return look_at(look).processes;
}

bool ProcessLooks::has_mark(std::size_t look, pid_t pid, const std::string& begin) {
  const auto& marks = look_at(look).marks;
  const auto at = marks.find(pid);
  return at != marks.end() && std::any_of(at->second.begin(), at->second.end(),
                                          [&](const std::string& each) { return each.starts_with(begin); });
}

namespace {

// Of a job that runs as its user. Where fq-imp does not answer nothing is known to have ended: what is named
// then never does.
std::vector<process::ProcessKey> kill_signed(const SignedStart& start, notation::JobId id,
                                             std::uint32_t attempt) {
  try {
    const auto left = kill_by_imp(process::find_program("fq-imp"), start, id, attempt, SIGKILL);
    return left ? std::vector<process::ProcessKey>{*left} : std::vector<process::ProcessKey>{};
  } catch (const Error&) {
    return {process::read_process_stat(1).value_or(process::ProcessStat{})};
  }
}

}  // namespace

std::vector<process::ProcessKey> kill_leftovers(const JobFiles& files, notation::JobId id,
                                                std::uint32_t attempt, ProcessLooks& looks) {
  if (const auto start = signed_start_of(files, id)) return kill_signed(*start, id, attempt);
  Roots roots(files, id, attempt);
  std::vector<process::ProcessKey> killed;
  // A process in the middle of its exec shows no environment: only two looks in a row say that none is left.
  for (std::size_t look = 0; look < ProcessLooks::kLooks && killed.empty(); ++look) {
    const std::vector<process::ProcessStat>& all = looks.all(look);
    roots.look_at(all);
    const auto is_root = [&](const process::ProcessStat& each) {
      return roots.is_recorded(each) || looks.has_mark(look, each.pid, roots.mark());
    };
    for (const process::ProcessStat& process : process::tree_below(all, is_root)) {
      if (process::send_signal(process::open_process(process), SIGKILL)) killed.push_back(process);
    }
  }
  return killed;
}

bool await_end(const std::vector<process::ProcessKey>& processes, double timeout_s) {
  const SystemClock clock;
  const double deadline = clock.boot_time() + timeout_s;
  for (const process::ProcessKey& process : processes) {
    const UniqueFd pidfd = process::open_process(process);
    if (!pidfd.valid()) continue;
    pollfd wait{pidfd.get(), POLLIN, 0};
    const double left = std::clamp(deadline - clock.boot_time(), 0.0, 3600.0);
    if (::poll(&wait, 1, static_cast<int>(left * 1000)) <= 0) return false;
  }
  return true;
}

void remove_places(const JobFiles& files, notation::JobId id) {
  for (const PlaceRecord& place : read_records(files, id).places) {
    if (place.kind == PlaceRecord::Kind::tmpdir) {
      remove_job_tmpdir(place.path);
    } else {
      process::remove_job_cgroup(place.path);
    }
  }
}

void forget_places(const JobFiles& files, notation::JobId id) {
  const TaskRecords records = decode_records(read_file_if_exists(files.tasks(id)).value_or(""));
  if (records.places.empty()) return;
  std::string kept;
  for (const TaskRecord& task : records.tasks) kept += encode_record(task);
  for (const SessionRecord& session : records.sessions) kept += encode_record(session);
  replace_file(files.tasks(id), kept);
}

}  // namespace fq::meeting
