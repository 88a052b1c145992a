// The test program is also what the tests start: called as `fq-shell` it runs a job, called as `fq-waker` it
// watches a store with STORE/fq-tick as its tick. All the rest is in the tests themselves.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "meeting/launch.h"
#include "meeting/liveness.h"
#include "meeting/waker.h"
#include "shell/shell.h"

namespace {

int run_as_shell(const std::string& store, const std::string& id_text) {
  using namespace fq;
  const meeting::JobFiles files(store);
  const notation::JobId id = notation::parse_job_id(id_text);
  const UniqueFd alive = meeting::inherit_alive(files, id);
  const meeting::LaunchPlan plan = meeting::read_launch(files, id);
  const SystemClock clock;
  [[maybe_unused]] const meeting::ShellOutcome outcome = shell::run_shell(files, plan, clock);
  meeting::remove_alive(files, id);
  return 0;
}

int start_from_a_task(const std::string& store, const std::string& id_text) {
  using namespace fq;
  const meeting::JobFiles files(store);
  const meeting::LaunchPlan plan = meeting::read_launch(files, notation::parse_job_id(id_text));
  meeting::start_shell(files, plan, meeting::take_alive(files, plan.id),
                       std::filesystem::read_symlink("/proc/self/exe"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argv[0];
  try {
    if (name == "fq-shell" && argc == 4) return run_as_shell(argv[2], argv[3]);
    if (name == "fq-waker" && argc == 3)
      return fq::meeting::run_waker(argv[2], std::string{argv[2]} + "/fq-tick");
    if (argc == 4 && std::strcmp(argv[1], "--start-shell") == 0) return start_from_a_task(argv[2], argv[3]);
  } catch (const fq::Error& failure) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), failure.what());
    return 1;
  }
  // What a test lets run away comes back to it and is counted.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
