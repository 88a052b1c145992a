// Keeps the shells that would have been started: the test decides when each one ends, or dies.

#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "manager/engine/launcher.h"
#include "meeting/liveness.h"

namespace fq::test {

class FakeLauncher final : public manager::Launcher {
 public:
  struct Shell {
    meeting::LaunchPlan plan;
    FileLock alive;
  };

  void start_shell(const meeting::JobFiles&, const meeting::LaunchPlan& plan, FileLock alive) override {
    if (exhausted) {
      meeting::note_not_begun(alive);
      throw Error{Kind::exhausted, "no more processes"};
    }
    ++started;
    shells.insert_or_assign(plan.id, Shell{plan, std::move(alive)});
  }
  void start_waker(const std::string&, bool) override { ++wakers; }
  void start_compaction(const std::string&) override { ++compactions; }
  void start_consultation(const std::string&) override { ++consultations; }

  std::map<notation::JobId, Shell> shells;  ///< those alive
  bool exhausted = false;                   ///< there is no room for more shells
  std::uint64_t started = 0;
  std::uint64_t wakers = 0;
  std::uint64_t compactions = 0;
  std::uint64_t consultations = 0;
};

}  // namespace fq::test
