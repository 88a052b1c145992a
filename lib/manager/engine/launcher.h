// The processes that the manager starts, behind an interface: tests count and keep them instead.

#pragma once

#include "meeting/launch.h"

namespace fq::manager {

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Starts the shell of a job that was committed as running. `alive` is the job's lock; it passes to the
  /// shell. Throws Error when that cannot be done; the job is then found without a shell and repaired.
  virtual void start_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan,
                           FileLock alive) = 0;
  /// Starts the store's waker (meeting/waker.h). Throws Error.
  virtual void start_waker(const std::string& store, bool clean) = 0;
  /// Starts a process that merges the store's files (maintenance.h). Throws Error.
  virtual void start_compaction(const std::string& store) = 0;
  /// Starts a process that asks the schedulers that are programs (manager/pass/consultation.h). Throws Error.
  virtual void start_consultation(const std::string& store) = 0;
};

/// Starts real processes.
class ProcessLauncher final : public Launcher {
 public:
  void start_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan, FileLock alive) override;
  void start_waker(const std::string& store, bool clean) override;
  void start_compaction(const std::string& store) override;
  void start_consultation(const std::string& store) override;
};

}  // namespace fq::manager
