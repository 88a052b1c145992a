// What the user's half of a shell has of a shared store: two pipes to the keeper, and a directory of its own.

#pragma once

#include <string>
#include <vector>

#include "meeting/launch.h"
#include "meeting/own_guest.h"
#include "shell/keeping.h"
#include "shell/looker_relays.h"
#include "shell/wire.h"

namespace fq::shell {

class WireKeeping final : public Keeping, private OutputLog {
 public:
  explicit WireKeeping(Wire& wire) : wire_(wire), relays_(wire) {}

  /// Waits for the keeper's first frame and writes it into `launch`. Throws Error.
  void receive_rules(meeting::LaunchPlan& launch);

  [[nodiscard]] bool open(std::uint32_t ntasks) override;
  [[nodiscard]] OutputLog* output() override { return this; }
  void post(const document::Event& event) override;
  void complete(const meeting::ShellOutcome& outcome) override;
  void touch() override { wire_.flush(); }
  [[nodiscard]] bool watch_orders() override { return true; }
  void watch(std::vector<pollfd>& fds) const override;
  [[nodiscard]] std::vector<meeting::ControlOrder> orders() override;
  [[nodiscard]] UniqueFd input() override;
  // For who asks: the namespace holds the tasks, and the keeper knows of it.
  void record(std::string_view lines) override { wire_.send({"tasks", std::string{lines}}); }
  void record_tmpdir(const std::string& path) override { wire_.send({"place", path}); }
  [[nodiscard]] std::string make_cgroup() override { return {}; }
  [[nodiscard]] std::optional<meeting::SessionLog> sessions() override { return std::nullopt; }
  void remove_places(const std::string& tmpdir, const std::string& cgroup) override;
  [[nodiscard]] std::string own_guest_dir() override { return own_guest_; }
  [[nodiscard]] bool keeps_time() const override { return false; }
  [[nodiscard]] UniqueFd show_life(const std::string& tmpdir) override { return meeting::show_life(tmpdir); }
  // What others have started is in another world, in which this one has no processes: it is told by the
  // store.
  void end_instance(const std::string& instance) override;
  [[nodiscard]] std::string settle_own_guest() override;
  [[nodiscard]] std::optional<meeting::Enclosure> enclosure() override { return std::nullopt; }
  [[nodiscard]] std::vector<notation::Idset> cpu_map() override;
  void open_terminal(std::optional<Terminal>& terminal, notation::JobId id, process::WindowSize window,
                     const Clock& clock) override;

 private:
  [[nodiscard]] bool write(std::uint32_t task, Stream stream, std::string_view bytes,
                           std::uint64_t limit) override;
  void close(std::uint32_t task, Stream stream) override;
  void redirect(Stream stream, const notation::Idset& tasks, const std::string& path) override;
  void message(int level, std::string_view text) override;
  void flush() override { wire_.flush(); }
  [[nodiscard]] bool blocked() const override;
  void give_up() override {}
  bool sync() override { return true; }
  [[nodiscard]] bool failed() const override { return wire_.broken(); }

  void give_document(const meeting::OwnGuestFile& file, const UniqueFd& fd);
  void take_frames();
  void look(const std::string& number);
  void feed_input();
  /// Goes on while others wait.
  void pump();

  Wire& wire_;
  LookerRelays relays_;
  std::optional<meeting::JobFiles> terminal_files_;  ///< where the job's terminal is, which is the user's own
  notation::JobId terminal_id_;
  std::vector<meeting::ControlOrder> orders_;  ///< not taken yet
  std::string own_guest_;
  UniqueFd input_;          ///< into which input is written for who feeds the tasks
  std::string input_kept_;  ///< what it has not taken yet
  bool taken_is_due_ = false;
  bool gone_ = false;  ///< the keeper
};

}  // namespace fq::shell
