// Orders to a running shell: lines appended to guest/<id>/control, which the shell watches.
//
//   signal <number> [<ranks>] send the signal to the tasks, or to some (RFC 22)
//   epilog-signal <number> send the signal to the epilog
//   cancel                 end the tasks: the term signal, grace, SIGKILL
//   preempt                tell the tasks, by the term signal, that they are to be ended soon
//   expiration <seconds>   the time limit now ends then (since the epoch; 0: no limit)
//
// An order that comes twice does no harm beyond a second signal. Before each order stands a line of a space:
// it ends what a write that failed may have left of another, and makes it none (`signal 1` of `signal 15`).

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/unique_fd.h"
#include "meeting/job_files.h"

namespace fq::meeting {

struct ControlSignal {
  int number = 0;
  std::string ranks{};  ///< RFC 22; empty: all
  friend bool operator==(const ControlSignal&, const ControlSignal&) = default;
};
struct ControlEpilogSignal {
  int number = 0;
  friend bool operator==(const ControlEpilogSignal&, const ControlEpilogSignal&) = default;
};
struct ControlCancel {
  friend bool operator==(const ControlCancel&, const ControlCancel&) = default;
};
struct ControlPreempt {
  friend bool operator==(const ControlPreempt&, const ControlPreempt&) = default;
};
struct ControlExpiration {
  double time = 0;
  friend bool operator==(const ControlExpiration&, const ControlExpiration&) = default;
};
using ControlOrder =
    std::variant<ControlSignal, ControlEpilogSignal, ControlCancel, ControlPreempt, ControlExpiration>;

[[nodiscard]] std::string encode_control(const ControlOrder& order);
/// The order of a line, without its newline; none where it is no order.
[[nodiscard]] std::optional<ControlOrder> decode_control(std::string_view line);

/// Makes the file of orders, where it is not there or `anew`, with room for orders on a disk that is full by
/// then. Throws Error{no_space}, {io}.
void prepare_control(const JobFiles& files, notation::JobId id, bool anew);

/// Appends one order, and keeps room for the next where the disk has it. Returns false when the job has
/// neither guest directory nor shell: it does not run (any more). A job whose start is committed gets its
/// order, also before its shell is there.
bool write_control(const JobFiles& files, notation::JobId id, const ControlOrder& order);

/// Whether the job's shell has been ordered to end its tasks.
[[nodiscard]] bool cancel_ordered(const JobFiles& files, notation::JobId id);

/// Whether it has been told that the job is preempted.
[[nodiscard]] bool preempt_ordered(const JobFiles& files, notation::JobId id);

/// Whether the last time limit that the shell was ordered to obey is this one.
[[nodiscard]] bool expiration_ordered(const JobFiles& files, notation::JobId id, double time);

/// The shell's end: reads the orders that were appended since the last call. Lines that are not orders are
/// passed over, a line without newline waits for its rest.
class ControlReader {
 public:
  ControlReader(const JobFiles& files, notation::JobId id);
  [[nodiscard]] std::vector<ControlOrder> read();

 private:
  UniqueFd fd_;
  std::string rest_;
};

}  // namespace fq::meeting
