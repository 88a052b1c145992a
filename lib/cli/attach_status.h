// The line on the terminal that says what an attached command waits for, until its job runs:
//
//   fq-job: ƒJqUHUCzX9 waiting for resources                                    00:00:08

#pragma once

#include <string>
#include <string_view>

#include "job/job.h"

namespace fq::cli {

class AttachStatus {
 public:
  /// Whether to show it at all: asked for, or all three standard streams are terminals and
  /// FLUX_ATTACH_NONINTERACTIVE is not set.
  [[nodiscard]] static bool is_wanted(bool asked);

  /// `command` speaks.
  explicit AttachStatus(std::string_view command, double now) : command_(command), began_at_(now) {}

  /// Draws what `job` waits for; nothing once it runs. `now` in seconds of the same clock as at the start.
  void draw(const job::Job& job, double now);
  /// Erases it, so that other text can be written.
  void clear();
  /// Whether it changes with time.
  [[nodiscard]] bool ticks() const { return drawn_; }

 private:
  std::string_view command_;
  double began_at_;
  bool drawn_ = false;
};

/// What a pending job waits for: `waiting for resources`; empty for one that runs or has ended.
[[nodiscard]] std::string_view pending_words(const job::Job& job);

}  // namespace fq::cli
