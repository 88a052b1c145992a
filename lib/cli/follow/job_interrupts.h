// Ctrl-C of who is attached to a job: once it interrupts the tasks, twice it cancels the job.

#pragma once

#include <string>
#include <utility>

#include "door/door.h"
#include "notation/fluid.h"

namespace fq::cli {

class JobInterrupts {
 public:
  /// `door` outlives this.
  JobInterrupts(const door::Door& door, notation::JobId id, std::string command)
      : door_(door), id_(id), command_(std::move(command)) {}

  /// Passes on that so many came. A job whose tasks do not run is canceled at once. Returns whether it is
  /// canceled.
  [[nodiscard]] bool pass_on(int interrupts, bool running);

 private:
  const door::Door& door_;
  notation::JobId id_;
  std::string command_;
  double last_ = -1e9;  ///< boot time of the last one
};

}  // namespace fq::cli
