// What a transaction asks of the world once it is committed: shells to start, orders, waiters to wake, files
// to remove, the waker.

#pragma once

#include <vector>

#include "base/file_lock.h"
#include "manager/engine/session.h"
#include "meeting/launch.h"
#include "process/tree/process_id.h"

namespace fq::manager {

using notation::JobId;

/// What is to be done in the world after the commit. All of it is derived from what was committed: whoever
/// finds it undone later does it again. Of what is unfinished the store keeps a note (records/instance.h).
struct Effects {
  std::vector<JobId> starts;         ///< jobs whose shells are to be started, as one transaction has it
  std::vector<JobId> housekeepings;  ///< the same of housekeeping (records/housekeeping.h)
  /// A start that is ready: whoever commits it has planned it before, and holds the sign of life.
  struct Start {
    meeting::LaunchPlan plan;
    FileLock alive;
    bool prepared = false;  ///< its guest directory is as its shell shall find it
  };
  std::vector<Start> planned;
  struct Expiration {
    JobId id;
    double time = 0;  ///< seconds since the epoch; 0: none
  };
  std::vector<JobId> cancels;           ///< shells that must end their tasks
  std::vector<JobId> preempts;          ///< shells that must tell their tasks that their time is over soon
  std::vector<Expiration> expirations;  ///< time limits that shells must obey from now on
  std::vector<JobId> ended;             ///< jobs whose guest directory and sign of life are no longer needed
  std::vector<JobId> requeued;  ///< the same of jobs that are pending again, and may start once it is gone
  std::vector<JobId> ended_without_shell;   ///< jobs of whose attempts directories may be left, too
  std::vector<process::ProcessKey> killed;  ///< processes that are to end, which ends their job
  struct Look {
    JobId id;
    double boot_time = 0;
  };
  std::vector<Look> looks;     ///< when to look again for what is left of jobs
  std::vector<JobId> purged;   ///< jobs whose files under data/ are no longer needed
  std::vector<JobId> changed;  ///< jobs whose waiters must look again
  bool changed_many = false;   ///< so many more jobs that everybody who waits must
  bool consult = false;        ///< schedulers that are programs are to be asked, by a process of its own
  bool start_waker = false;
  bool clean_waker = true;       ///< this process has the limits that jobs shall start with
  bool pass_unfinished = false;  ///< more jobs could start: another pass is due
  bool dependants_left = false;  ///< not all that wait for a job are told: the next transaction goes on

  /// Whether another transaction is due.
  [[nodiscard]] bool unfinished() const { return pass_unfinished || dependants_left; }
};

/// Adds those of a later step.
void add_effects(Effects& to, Effects&& from);

/// Acts on the world after the commit. Returns whether another pass is due.
bool perform_effects(const Session& session, Effects effects, const StoreCondition& condition);

}  // namespace fq::manager
