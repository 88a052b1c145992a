// A store directory in which real shells run real jobs.

#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "document/event/eventlog.h"
#include "document/event/output.h"
#include "meeting/control.h"
#include "meeting/launch.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "process/tree/process_id.h"
#include "process/tree/process_tree.h"
#include "shell/shell.h"
#include "support/test_job.h"

namespace fq::shell {

// Tests of the rooms below are here, too, where they need real shells.
using namespace process;  // NOLINT(google-build-using-namespace)
using namespace meeting;  // NOLINT(google-build-using-namespace)

using nlohmann::json;

/// What a test waits for comes within this time, or the test fails.
inline constexpr double kPatience = 60;

class TempDir {
 public:
  TempDir() {
    char path[] = "/tmp/fq-exec-test-XXXXXX";
    path_ = ::mkdtemp(path);
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string self_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

class ShellTest : public testing::Test {
 protected:
  ShellTest() : files_(dir_.path() + "/store") {
    make_directory(files_.store());
    files_.create_directories();
  }

  ~ShellTest() override {
    // What a shell that the test killed has left behind.
    if (meeting::shell_alive(files_, id_)) return;
    end_leftovers();
    meeting::remove_places(files_, id_);
  }

  [[nodiscard]] meeting::LaunchPlan plan_for(const TestJob& job) const {
    const SystemClock clock;
    meeting::LaunchPlan plan;
    plan.id = id_;
    plan.attempt = job.attempt;
    plan.userid = job.userid;
    plan.jobspec = job.jobspec();
    plan.R = job.R();
    plan.time = clock.now() + job.clock_step;
    plan.boot_time = clock.boot_time();
    plan.expiration = job.time_limit > 0 ? plan.time + job.time_limit : 0;
    plan.kill_grace_s = job.kill_grace_s;
    plan.term_signal = job.term_signal;
    plan.kill_signal = job.kill_signal;
    plan.max_kill_count = job.max_kill_count;
    plan.boot_id = boot_id();
    return plan;
  }

  /// Starts the job's shell and returns its pid. `order` is given when the guest is ready and no shell is
  /// there.
  pid_t start(const TestJob& job, const std::optional<meeting::ControlOrder>& order = std::nullopt) {
    const meeting::LaunchPlan plan = plan_for(job);
    FileLock alive = meeting::take_alive(files_, id_);
    meeting::prepare_guest(files_, plan, SystemClock{}.now());
    if (order) meeting::write_control(files_, id_, *order);
    attempt_ = job.attempt;
    return meeting::start_shell(files_, plan, std::move(alive), self_program());
  }

  /// Waits for the shell's end: the moment at which its lock is free.
  void wait_for_shell() const {
    const std::string path = files_.alive(id_);
    for (;;) {
      if (!exists(path)) break;
      auto lock = FileLock::acquire(path, LockMode::exclusive, kPatience);
      ASSERT_TRUE(lock.has_value()) << "the shell does not end";
      struct stat named {};
      struct stat open_file {};
      const bool there = ::stat(path.c_str(), &named) == 0 && ::fstat(lock->fd(), &open_file) == 0;
      if (!there || named.st_ino == open_file.st_ino) break;
    }
    int status = 0;
    while (::waitpid(-1, &status, WNOHANG) > 0) {
    }
  }

  /// Kills what the dead shell of a job left, until nothing of it lives; returns how many processes that
  /// were.
  std::size_t end_leftovers(const meeting::JobFiles& files, std::uint32_t attempt) const {
    std::set<process::ProcessKey> killed;
    for (;;) {
      const std::vector<process::ProcessKey> left = meeting::kill_leftovers(files, id_, attempt);
      if (left.empty()) return killed.size();
      killed.insert(left.begin(), left.end());
      EXPECT_TRUE(meeting::await_end(left, kPatience));
    }
  }
  std::size_t end_leftovers() const { return end_leftovers(files_, attempt_); }

  /// Runs the job to its end.
  meeting::ShellOutcome run(const TestJob& job) {
    start(job);
    return outcome();
  }

  [[nodiscard]] meeting::ShellOutcome outcome() const {
    wait_for_shell();
    const auto found = meeting::recorded_outcome(files_, id_, attempt_);
    EXPECT_TRUE(found.has_value()) << "no outcome in " << events();
    return found.value_or(meeting::ShellOutcome{-1, {}, 0});
  }

  /// `type severity note`, one line an exception.
  [[nodiscard]] static std::string exceptions(const meeting::ShellOutcome& outcome) {
    std::string text;
    for (const auto& event : outcome.exceptions) {
      text +=
          fmt::format("{} {} {}\n", event.context.at("type").get<std::string>(),
                      event.context.at("severity").get<int>(), event.context.at("note").get<std::string>());
    }
    return text;
  }

  /// The names of the events in exec.eventlog.
  [[nodiscard]] std::string events() const {
    std::string names;
    for (const auto& event : document::decode_eventlog(read_file(files_.exec_eventlog(id_)))) {
      names += event.name + " ";
    }
    return names;
  }

  struct Output {
    std::map<std::string, std::string> data;  ///< by `stdout 0`
    std::string log;                          ///< messages, one a line
    std::string redirects;                    ///< `stream ranks path`, one a line
    bool finished = false;
  };
  [[nodiscard]] Output output() const {
    Output output;
    document::OutputDecoder decoder;
    for (const auto& event : document::decode_eventlog(read_file(files_.output(id_)))) {
      const auto item = decoder.decode(event);
      if (const auto* chunk = std::get_if<document::OutputChunk>(&item)) {
        output.data[chunk->stream + " " + chunk->ranks.encode()] += chunk->data;
      } else if (const auto* log = std::get_if<document::OutputLog>(&item)) {
        output.log += log->message + "\n";
      } else if (const auto* redirect = std::get_if<document::OutputRedirect>(&item)) {
        output.redirects += redirect->stream + " " + redirect->ranks.encode() + " " + redirect->path + "\n";
      }
    }
    output.finished = decoder.finished();
    return output;
  }
  [[nodiscard]] std::string stdout_of(int rank) const {
    return output().data["stdout " + std::to_string(rank)];
  }
  [[nodiscard]] std::string stderr_of(int rank) const {
    return output().data["stderr " + std::to_string(rank)];
  }

  /// A FIFO in the test's directory, through which a task tells the test where it stands.
  std::string make_fifo(const std::string& name) {
    const std::string path = dir_.path() + "/" + name;
    ::mkfifo(path.c_str(), 0600);
    return path;
  }
  /// Waits for a line that a task writes to a FIFO.
  static std::string read_fifo(const std::string& path) {
    std::string text = read_file(path);
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  TempDir dir_;
  meeting::JobFiles files_;
  notation::JobId id_{0x17e9fb8df16c2e};
  std::uint32_t attempt_ = 1;
};

/// Whether a process with that pid lives (a zombie does not).
inline bool lives(pid_t pid) {
  const auto stat = process::read_process_stat(pid);
  return stat && !stat->is_dead();
}

}  // namespace fq::shell
