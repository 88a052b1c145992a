#include "process/tree/process_tree.h"

#include <csignal>
#include <unordered_map>
#include <unordered_set>

#include <sys/prctl.h>
#include <unistd.h>

#include "process/tree/lock_holders.h"

namespace fq::process {

void set_subreaper(bool on) {
  ::prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0);
}

std::vector<ProcessStat> tree_below(const std::vector<ProcessStat>& all,
                                    const std::function<bool(const ProcessStat&)>& is_root) {
  std::unordered_multimap<pid_t, const ProcessStat*> children;
  std::vector<const ProcessStat*> open;
  for (const ProcessStat& process : all) {
    children.emplace(process.parent, &process);
    if (is_root(process)) open.push_back(&process);
  }
  std::unordered_set<pid_t> seen;
  std::vector<ProcessStat> found;
  while (!open.empty()) {
    const ProcessStat* process = open.back();
    open.pop_back();
    if (process->pid == ::getpid() || !seen.insert(process->pid).second || serves_others(*process)) continue;
    if (!process->is_dead()) found.push_back(*process);
    const auto [first, last] = children.equal_range(process->pid);
    for (auto child = first; child != last; ++child) open.push_back(child->second);
  }
  return found;
}

std::vector<ProcessStat> descendants() {
  const pid_t self = ::getpid();
  return tree_below(read_processes(), [self](const ProcessStat& process) { return process.parent == self; });
}

std::size_t Terminator::tell(int signal) {
  const std::vector<ProcessStat> all = descendants();
  for (const ProcessStat& process : all) {
    if (!told_.insert(process).second) continue;
    const UniqueFd pidfd = open_process(process);
    send_signal(pidfd, signal);
    // A stopped process meets the signal once it goes on.
    send_signal(pidfd, SIGCONT);
  }
  return all.size();
}

}  // namespace fq::process
