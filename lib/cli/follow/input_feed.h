// What comes on this command's standard input, handed on to the tasks of a job.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "door/door.h"
#include "notation/fluid.h"
#include "notation/idset.h"

namespace fq::cli {

class InputFeed {
 public:
  /// `unbuffered`: as it comes; else whole lines.
  explicit InputFeed(bool unbuffered) : unbuffered_(unbuffered) {}

  /// Whether a file was given on stdin of which nobody has read: what a loop reads, or a pipe brings, may be
  /// meant for others.
  [[nodiscard]] static bool is_given_file();

  /// To the tasks `ranks` of a job, without them to all; the others are told that nothing comes. Does nothing
  /// where the job cannot take it yet. Once it has begun no more. The door outlives this. Throws Error.
  void begin(const door::Door& door, notation::JobId id, std::uint32_t ntasks,
             const std::optional<notation::Idset>& ranks);
  [[nodiscard]] bool has_begun() const { return input_ != nullptr || over_; }
  /// It has begun and not ended.
  [[nodiscard]] bool goes_on() const { return input_ != nullptr; }

  /// Reads what is there and hands it on. Returns false at its end. REQUIRES goes_on(). Throws Error.
  bool forward();
  /// Hands on no more.
  void stop();

 private:
  void write(std::size_t size);

  bool unbuffered_;
  std::unique_ptr<door::JobInput> input_;
  std::string unwritten_;  ///< whose line has not ended
  bool over_ = false;
};

}  // namespace fq::cli
