// What goes on in jobs, for who asks from another process: the operations of live_words.h.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "door/live.h"
#include "door/live_words.h"
#include "door/wide_waiter.h"
#include "manager/engine/session.h"
#include "meeting/guest_file.h"
#include "meeting/input_writer.h"
#include "meeting/terminal_link.h"

namespace fq::door {

class AttendedJobs {
 public:
  /// The store, and who asks. Outlives this.
  explicit AttendedJobs(const manager::Session& session) : session_(session) {}

  /// So many files and inputs may stand at once.
  static constexpr std::size_t kMost = 4096;
  /// And so many files in the store may they have who wait: a command has one for each of the jobs that a
  /// waiter names, and one more.
  static constexpr std::size_t kMostWakes = 2 * Waiter::kMostNamed;

  /// Does an operation, but `wait` and `terminal`; what it gives, if anything. Throws Error.
  [[nodiscard]] std::optional<std::string> operate(const LiveWords& words);
  /// Sleeps until there is something to give, or something to read on `broken_off_by`; not at all where it is
  /// broken off by then. Throws Error.
  [[nodiscard]] std::string wait(const LiveWords& words, int broken_off_by, bool is_broken_off);
  /// The terminal of the job that is named. Throws Error.
  [[nodiscard]] std::optional<meeting::TerminalLink> terminal(const LiveWords& words) const;

 private:
  using Number = std::uint64_t;
  struct Watch {
    std::unique_ptr<WideWaiter> waiter;
    std::vector<notation::JobId> ids;  ///< none: any
  };

  /// Throws Error{permission} unless who asks may see and act on the job.
  void require(notation::JobId id) const;
  /// Has a waiter of these jobs, but those that who asks does not see, or, where none is named, of any.
  void watch(Number number, const std::vector<notation::JobId>& ids);
  /// Has it wake for the output of jobs whose documents who asks may read.
  void watch_guest(const LiveWords& words);
  void require_wakes(std::size_t more) const;

  const manager::Session& session_;
  mutable notation::JobId allowed_{0};  ///< the job that was asked for last
  std::map<Number, Watch> waiters_;
  std::map<Number, meeting::GuestFile> files_;
  std::map<Number, meeting::InputWriter> inputs_;
};

/// Passes packets on, both ways, until either end is gone.
void relay(meeting::TerminalLink& terminal, meeting::TerminalLink looker);

}  // namespace fq::door
