// The processes of a job while its shell lives. The shell is child subreaper: whatever its tasks fork stays
// below it, in whatever session. Signals go through pidfds with the start time checked, never to a bare pid,
// so that a pid that was given again is never hit.

#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "process/tree/process_id.h"

namespace fq::process {

/// Makes this process the parent of its orphaned descendants, or no longer.
void set_subreaper(bool on);

/// Of `all` processes those that are roots, and what descends from them, as far as they live. This process
/// and those that serve others than the job (lock_holders.h) are left out, with what descends from them.
[[nodiscard]] std::vector<ProcessStat> tree_below(const std::vector<ProcessStat>& all,
                                                  const std::function<bool(const ProcessStat&)>& is_root);

/// The living descendants of this process, but for those that serve others.
[[nodiscard]] std::vector<ProcessStat> descendants();

/// Tells processes to end, each once: what was forked while others were told is found by the next call.
class Terminator {
 public:
  /// Sends `signal`, and SIGCONT for those that are stopped, to the descendants that were not told before.
  /// Returns how many descendants there are.
  std::size_t tell(int signal);

 private:
  std::set<ProcessKey> told_;
};

}  // namespace fq::process
