// Standard input that comes through the guest input log (RFC 24): what an attached command appends there is
// handed to the tasks it is meant for, as fast as they take it.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "document/event/output.h"

namespace fq::shell {

class InputFeeder {
 public:
  /// `log` gives the events, as far as there are any, and does not block.
  InputFeeder(UniqueFd log, std::uint32_t ntasks);

  /// A pipe for the standard input of `task`; the read end is the task's. Throws Error.
  [[nodiscard]] UniqueFd open_pipe(std::uint32_t task);

  /// What is meant for `task` is typed on its terminal, of which this is the other side, and then its end.
  void type_on(std::uint32_t task, UniqueFd master);

  /// Reads on in the log and writes to the pipes until one is full or the log is at its end.
  void feed();
  /// The pipes that are full: feed() again when one of them can be written.
  [[nodiscard]] std::vector<int> full_pipes() const;
  /// The task ended.
  void close(std::uint32_t task);

 private:
  struct Target {
    UniqueFd pipe;
    std::string pending;
    bool end = false;          ///< close when `pending` is written
    bool typed = false;        ///< on a terminal
    bool within_line = false;  ///< the last that was typed ends no line
  };

  [[nodiscard]] bool write_pending();
  [[nodiscard]] bool read_line(std::string& line);
  void deliver(const document::OutputChunk& chunk);

  UniqueFd log_;
  std::string unread_;
  document::OutputDecoder decoder_;
  std::vector<Target> targets_;
};

}  // namespace fq::shell
