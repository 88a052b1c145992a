// The terminal of a job's first task, to which people come and from which they go (the shell option
// `pty.interactive`). The shell shows what the task writes to all who look, and keeps the last of it for who
// comes later; one of them writes. A terminal that nobody looks at goes on; one that looks and does not read
// is passed over and later shown how things stand.

#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "meeting/job_files.h"
#include "meeting/terminal_link.h"
#include "notation/terminal_modes.h"
#include "process/start/pty.h"

namespace fq::shell {

class Terminal {
 public:
  /// Opens the job's terminal, of that size, to who comes. `meanwhile` is called now and then while end()
  /// waits for those who look. Throws Error.
  Terminal(const meeting::JobFiles& files, notation::JobId id, process::WindowSize window, const Clock& clock,
           std::function<void()> meanwhile = {});
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// The side of the task, and that of the shell, which reads what the task writes and hands it to show().
  [[nodiscard]] UniqueFd take_slave() { return std::move(pty_.slave); }
  [[nodiscard]] UniqueFd share_master() const;

  /// Adds what is waited for.
  void watch(std::vector<pollfd>& fds) const;
  /// Takes in who comes, goes and types, and sends what can be sent.
  void serve();
  /// Whether the task's output is to be read now. Not for a moment, while the one who writes does not read,
  /// or nobody has come yet and more was written than is kept.
  [[nodiscard]] bool wants_output() const;
  /// The boot time at which serve() has something to do though nothing happened.
  [[nodiscard]] std::optional<double> due() const;
  /// Shows what the task wrote.
  void show(std::string_view bytes);
  /// The task and all that it left are gone: shows what was written to all who have come, and tells them.
  void end();

  /// Whether one is gone that the job is to end with.
  [[nodiscard]] bool owner_gone() const { return owner_gone_; }
  /// What was written last, where nobody ever looked at it.
  [[nodiscard]] std::string unseen() const { return seen_ ? std::string{} : scrollback_; }

 private:
  struct Looker {
    explicit Looker(UniqueFd socket) : link(std::move(socket)) {}
    meeting::TerminalLink link;
    meeting::LookRequest request;
    bool began = false;
    bool left = false;
    bool behind = false;  ///< does not read: gets what is kept once it does
    bool gone = false;
  };

  void accept(std::size_t most);
  void take_packets(Looker& looker);
  void take_packet(Looker& looker, char letter, std::string_view text);
  void begin(Looker& looker, const meeting::LookRequest& request);
  void let_write(Looker& looker);
  void type();
  void flush(Looker& looker);
  void hear_out(Looker& looker);
  void forget_gone();
  void fit_window(process::WindowSize window, bool redraw);
  void show_kept(Looker& looker);

  const meeting::JobFiles& files_;
  notation::JobId id_;
  const Clock& clock_;
  std::function<void()> meanwhile_;
  process::Pty pty_;
  UniqueFd listening_;
  std::list<Looker> lookers_;  ///< in the order in which they came
  Looker* writer_ = nullptr;
  std::string input_;        ///< typed, not yet taken by the terminal
  std::string scrollback_;   ///< the last of the output
  std::uint64_t shown_ = 0;  ///< bytes of all of it
  bool cut_ = false;         ///< and there was more
  notation::TerminalModes modes_;
  process::WindowSize window_;
  std::optional<double> redraw_at_;  ///< when the window gets its size back
  std::optional<double> patience_;   ///< until when output waits for the writer
  bool seen_ = false;
  bool owner_gone_ = false;
};

}  // namespace fq::shell
