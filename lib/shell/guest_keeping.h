// The job's files in a store of one's own, for a shell that is one process.

#pragma once

#include "meeting/append_file.h"
#include "meeting/exec_log.h"
#include "meeting/launch.h"
#include "meeting/task_record.h"
#include "shell/keeping.h"

namespace fq::shell {

class GuestKeeping final : public Keeping {
 public:
  /// All outlive this.
  GuestKeeping(const meeting::JobFiles& files, const meeting::LaunchPlan& launch, const Clock& clock);
  ~GuestKeeping() override;

  [[nodiscard]] bool open(std::uint32_t ntasks) override;
  [[nodiscard]] OutputLog* output() override { return output_ ? &*output_ : nullptr; }
  void post(const document::Event& event) override;
  void complete(const meeting::ShellOutcome& outcome) override;
  void touch() override;
  [[nodiscard]] bool watch_orders() override;
  void watch(std::vector<pollfd>& fds) const override { fds.push_back({inotify_.get(), POLLIN, 0}); }
  [[nodiscard]] std::vector<meeting::ControlOrder> orders() override;
  [[nodiscard]] UniqueFd input() override;
  void record(std::string_view lines) override;
  void record_tmpdir(const std::string& path) override;
  [[nodiscard]] std::string make_cgroup() override;
  [[nodiscard]] std::optional<meeting::SessionLog> sessions() override;
  void remove_places(const std::string& tmpdir, const std::string& cgroup) override;
  [[nodiscard]] std::string own_guest_dir() override;
  [[nodiscard]] bool keeps_time() const override { return true; }
  // Who finds the shell dead ends what has the job's mark.
  [[nodiscard]] UniqueFd show_life(const std::string&) override { return {}; }
  void end_instance(const std::string& instance) override;
  [[nodiscard]] std::string settle_own_guest() override;
  [[nodiscard]] std::optional<meeting::Enclosure> enclosure() override;
  [[nodiscard]] std::vector<notation::Idset> cpu_map() override;
  void open_terminal(std::optional<Terminal>& terminal, notation::JobId id, process::WindowSize window,
                     const Clock& clock) override;

 private:
  void record_place(meeting::PlaceRecord::Kind kind, const std::string& path);

  const meeting::JobFiles& files_;
  const meeting::LaunchPlan& launch_;
  const Clock& clock_;
  std::optional<meeting::ExecLog> exec_log_;
  std::optional<GuestOutputLog> output_;
  meeting::AppendFile records_;
  std::optional<meeting::ControlReader> control_;
  UniqueFd inotify_;
};

}  // namespace fq::shell
