// What an attached command says of its job until that runs. On a terminal a line that is drawn anew:
//
//   fq-job: ƒJqUHUCzX9 waiting for resources                                    00:00:08
//
// elsewhere a line when it begins to wait, and when it waits for something else:
//
//   fq-run: job ƒJqUHUCzX9 waits: queue 'batch' is stopped: gone fishing
//
// A prolog and an epilog are waited for, too; they are told off a terminal only where more is to be said.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.h"
#include "request/why.h"

namespace fq::cli {

class AttachStatus {
 public:
  /// Whether to show it at all: asked for, or all three standard streams are terminals and
  /// FLUX_ATTACH_NONINTERACTIVE is not set.
  [[nodiscard]] static bool is_wanted(bool asked);

  /// `command` speaks.
  explicit AttachStatus(std::string_view command, double now) : command_(command), began_at_(now) {}

  /// Draws what `job` waits for; nothing while its tasks run. `reasons` are why it has not started; `now` in
  /// seconds of the same clock as at the start.
  void draw(const job::Job& job, const std::vector<request::Reason>& reasons, double now);
  /// Erases it, so that other text can be written.
  void clear();
  /// Whether it changes with time.
  [[nodiscard]] bool ticks() const { return drawn_; }

 private:
  std::string_view command_;
  double began_at_;
  bool drawn_ = false;
};

/// The same off a terminal, a line at a time.
class WaitLines {
 public:
  /// `verbose`: also of its prolog and epilog.
  explicit WaitLines(bool verbose) : verbose_(verbose) {}

  /// The line that is due now that the job waits for these; nothing where the last one said it: a place in
  /// the queue, or how much is free, may change without a word.
  [[nodiscard]] std::optional<std::string> next(const job::Job& job,
                                                const std::vector<request::Reason>& reasons);

 private:
  bool verbose_;
  std::string said_;
};

/// What a job waits for, in a few words: `waiting for resources`, `waiting for its prolog`; empty while its
/// tasks run, and once it has ended.
[[nodiscard]] std::string pending_words(const job::Job& job, const std::vector<request::Reason>& reasons);

}  // namespace fq::cli
