// A store with a clock and a launcher of the test's own, and the few words in which scenarios are told. It
// ends with the whole-store check.

#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "manager/engine/session.h"
#include "manager/jobs/cancel.h"
#include "manager/jobs/submit.h"
#include "support/fake_launcher.h"
#include "support/manual_clock.h"
#include "support/temp_directory.h"

namespace fq::test {

class Scenario {
 public:
  /// A store of `nodes` test nodes.
  explicit Scenario(std::uint32_t nodes = 1, std::uint32_t cores = 4, std::uint32_t gpus = 0);
  /// A store of one test node that belongs to somebody else than this process's user.
  explicit Scenario(manager::Credential owner);
  ~Scenario();

  /// The jobspec text of a job with `slots` slots of `cores` cores and the given further keys of
  /// attributes.system, as JSON members (`"duration":60`).
  [[nodiscard]] static std::string jobspec(std::uint32_t slots = 1, std::uint32_t cores = 1,
                                           const std::string& system = {});
  notation::JobId submit(const std::string& jobspec, std::uint8_t urgency = job::kUrgencyDefault);
  /// Submits a job of so many slots.
  notation::JobId submit(std::uint32_t slots = 1) { return submit(jobspec(slots)); }
  /// Ends with this wait status what the shell of a job is at: its tasks, or where it has one its prolog or
  /// epilog.
  void finish(notation::JobId id, int status = 0);
  /// Kills the shell of a running job: its sign of life ends, nothing is posted.
  void kill_shell(notation::JobId id);
  void cancel(notation::JobId id, const std::string& note = {});
  /// An empty transaction, as every writer makes on its way.
  void tick();

  [[nodiscard]] job::Job job(notation::JobId id) const;
  /// State letters of the jobs: `R S D`, results for inactive ones.
  [[nodiscard]] std::string states(const std::vector<notation::JobId>& ids) const;
  /// Names of the events in the job's log: `submit validate depend`.
  [[nodiscard]] std::string events(notation::JobId id) const;
  [[nodiscard]] std::string document(notation::JobId id, const std::string& key) const;
  /// The nodes that are drained, a line each: `0 broken`.
  [[nodiscard]] std::string drained() const;
  /// What check_whole_store says; empty when all is well.
  [[nodiscard]] std::string faults() const;

  manager::Session session;
  ManualClock clock;
  FakeLauncher launcher;

 private:
  void make_store(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus);

  TempDirectory directory_;
};

}  // namespace fq::test
