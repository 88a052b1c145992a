#include "exec/process_tree.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "exec/cgroup.h"
#include "exec/environment.h"
#include "exec/find_program.h"
#include "exec/task_record.h"
#include "exec/tmpdir.h"

namespace fq::exec {
namespace {

using File = std::pair<dev_t, ino_t>;

/// The programs of fq that outlive the command that starts them.
std::set<File> own_programs() {
  std::set<File> programs;
  struct stat info {};
  for (const char* name : {"fq-shell", "fq-waker", "fq-tick"}) {
    try {
      if (::stat(find_program(name).c_str(), &info) == 0) programs.emplace(info.st_dev, info.st_ino);
    } catch (const Error&) {
      continue;
    }
  }
  if (::stat("/proc/self/exe", &info) == 0) programs.emplace(info.st_dev, info.st_ino);
  return programs;
}

/// A detached program of fq: started with a clean environment, in a session of its own.
bool serves_others(const ProcessStat& process, const std::set<File>& programs) {
  if (process.session == ::getsid(0)) return false;
  struct stat info {};
  if (::stat(fmt::format("/proc/{}/exe", process.pid).c_str(), &info) != 0) return false;
  if (!programs.contains({info.st_dev, info.st_ino})) return false;
  return !environment_has(process.pid, fmt::format("{}=", kMarkName));
}

bool is_dead(const ProcessStat& process) {
  return process.state == 'Z' || process.state == 'X';
}

/// `roots` and all that descends from them; `seeds` says of a process whether it is a root. Processes that
/// serve others are left out, with their descendants.
template <typename Seeds>
std::vector<ProcessStat> tree_below(const std::vector<ProcessStat>& all, Seeds is_seed) {
  const std::set<File> programs = own_programs();
  std::unordered_multimap<pid_t, const ProcessStat*> children;
  std::vector<const ProcessStat*> open;
  for (const ProcessStat& process : all) {
    children.emplace(process.parent, &process);
    if (is_seed(process)) open.push_back(&process);
  }
  std::unordered_set<pid_t> seen;
  std::vector<ProcessStat> found;
  while (!open.empty()) {
    const ProcessStat* process = open.back();
    open.pop_back();
    if (process->pid == ::getpid() || !seen.insert(process->pid).second ||
        serves_others(*process, programs)) {
      continue;
    }
    if (!is_dead(*process)) found.push_back(*process);
    const auto [first, last] = children.equal_range(process->pid);
    for (auto child = first; child != last; ++child) open.push_back(child->second);
  }
  return found;
}

std::unordered_set<pid_t> cgroup_members(const TaskRecords& records, std::uint32_t attempt) {
  std::unordered_set<pid_t> members;
  for (const PlaceRecord& place : records.places) {
    if (place.kind != PlaceRecord::Kind::cgroup || place.attempt > attempt) continue;
    for (const pid_t pid : job_cgroup_members(place.path)) members.insert(pid);
  }
  return members;
}

/// Waits until every process has ended, or `deadline` (boot time).
void wait_for_end(const std::vector<UniqueFd>& pidfds, double deadline, const Clock& clock) {
  for (const UniqueFd& pidfd : pidfds) {
    pollfd wait{pidfd.get(), POLLIN, 0};
    const double left = std::clamp(deadline - clock.boot_time(), 0.0, 3600.0);
    ::poll(&wait, 1, static_cast<int>(left * 1000));
  }
}

}  // namespace

void set_subreaper(bool on) {
  ::prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0);
}

std::vector<ProcessStat> descendants() {
  const pid_t self = ::getpid();
  return tree_below(read_processes(), [self](const ProcessStat& process) { return process.parent == self; });
}

std::size_t Terminator::tell(int signal) {
  const std::vector<ProcessStat> all = descendants();
  for (const ProcessStat& process : all) {
    if (!told_.emplace(process.pid, process.start_time).second) continue;
    const UniqueFd pidfd = open_process(process.pid, process.start_time);
    send_signal(pidfd, signal);
    // A stopped process meets the signal once it goes on.
    send_signal(pidfd, SIGCONT);
  }
  return all.size();
}

KillResult kill_job_processes(const JobFiles& files, notation::JobId id, std::uint32_t attempt,
                              double timeout_s) {
  const SystemClock clock;
  const double deadline = clock.boot_time() + timeout_s;
  const TaskRecords records = decode_records(read_file_if_exists(files.tasks(id)).value_or(""));
  const std::string boot = boot_id();
  std::unordered_map<pid_t, std::uint64_t> recorded;
  for (const TaskRecord& task : records.tasks) {
    if (task.boot_id == boot && task.attempt <= attempt) recorded[task.pid] = task.start_time;
  }
  const std::string mark = fmt::format("{}={}", kMarkName, job_mark(files.identity(), id));
  std::unordered_set<pid_t> members;
  const auto is_of_job = [&](const ProcessStat& process) {
    const auto task = recorded.find(process.pid);
    return (task != recorded.end() && task->second == process.start_time) || members.contains(process.pid) ||
           environment_has(process.pid, mark);
  };

  KillResult result;
  bool none_seen = false;
  std::set<std::pair<pid_t, std::uint64_t>> killed;
  for (;;) {
    result.survivors.clear();
    std::vector<UniqueFd> pidfds;
    // Members are read after the processes: one whose pid was given again in between has another start time
    // there, and is left for the next round.
    const std::vector<ProcessStat> all = read_processes();
    members = cgroup_members(records, attempt);
    for (const ProcessStat& process : tree_below(all, is_of_job)) {
      UniqueFd pidfd = open_process(process.pid, process.start_time);
      if (!send_signal(pidfd, SIGKILL)) continue;
      result.survivors.push_back(process.pid);
      killed.emplace(process.pid, process.start_time);
      pidfds.push_back(std::move(pidfd));
    }
    if (clock.boot_time() >= deadline) break;
    // A process in the middle of its exec shows no environment: only two looks in a row say that none is
    // left.
    if (pidfds.empty() && std::exchange(none_seen, true)) break;
    none_seen = pidfds.empty();
    wait_for_end(pidfds, deadline, clock);
  }
  result.killed = static_cast<std::uint32_t>(killed.size() - result.survivors.size());
  if (!result.survivors.empty()) return result;
  for (const PlaceRecord& place : records.places) {
    if (place.attempt > attempt) continue;
    if (place.kind == PlaceRecord::Kind::tmpdir) {
      remove_job_tmpdir(place.path);
    } else {
      remove_job_cgroup(place.path);
    }
  }
  return result;
}

}  // namespace fq::exec
