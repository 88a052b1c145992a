// The events of a job that is attached to, for people: as they come, with the seconds since its submission.
//
//   0.000s: job.submit {"userid":1001,"urgency":16,"flags":0,"version":1}
//   0.015s: exec.shell.init {"service":"…"}
//   2.140s: job.exception ƒ2GMuTnf type=note severity=3 check its output

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notation/fluid.h"

namespace fq::document {
struct Event;
}

namespace fq::cli {

class AttachEvents {
 public:
  struct Options {
    bool job = false;                      ///< shows the job's events
    bool exec = false;                     ///< shows those of its shell
    bool notes = true;                     ///< shows exceptions that do not end the job, in words
    std::optional<std::string> wait = {};  ///< the event to look for; one of the shell's begins with `exec.`
  };

  AttachEvents(Options options, std::function<void(std::string_view line)> write);

  /// Whether the log is of use; of the job's, where it tells of exceptions.
  [[nodiscard]] bool wants_notes() const { return options_.notes && !options_.job; }
  [[nodiscard]] bool wants_job() const { return options_.job || (options_.wait && !waits_exec_); }
  [[nodiscard]] bool wants_exec() const { return options_.exec || waits_exec_; }

  /// Says which job it is, and when it was submitted: before any event is taken.
  void set_job(notation::JobId id, double t_submit) {
    id_ = id;
    t_submit_ = t_submit;
  }
  /// Takes the job's event log, the whole of it each time.
  void take_job(std::string_view log);
  /// Takes the next piece of the shell's log, which may end anywhere.
  void take_exec(std::string_view bytes);

  /// Shows what was taken since the last time, in order of time.
  void show();
  /// Of that, what came before the tasks began to run: their output comes after it.
  void show_beginning();
  /// Whether the event that is looked for has come.
  [[nodiscard]] bool found() const { return found_; }

 private:
  void tell(const document::Event& event, std::string_view log);
  void show_until(double time);
  /// Of an exception that does not end the job.
  void tell_note(const document::Event& event);

  Options options_;
  std::function<void(std::string_view)> write_;
  bool waits_exec_;
  bool found_ = false;
  notation::JobId id_;
  double t_submit_ = 0;
  double t_tasks_ = 0;                                   ///< the latest event before they began; 0: none yet
  std::size_t seen_ = 0;                                 ///< bytes of the job's log
  std::string unread_;                                   ///< of the shell's
  std::vector<std::pair<double, std::string>> unshown_;  ///< times and lines
};

}  // namespace fq::cli
