// What comes on this command's standard input, handed on to the tasks of a job.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meeting/input_writer.h"
#include "meeting/job_files.h"
#include "notation/fluid.h"
#include "notation/idset.h"

namespace fq::cli {

class InputFeed {
 public:
  /// `unbuffered`: as it comes; else whole lines.
  explicit InputFeed(bool unbuffered) : unbuffered_(unbuffered) {}

  /// To the tasks `ranks` of a job, without them to all; the others are told that nothing comes. `now`:
  /// seconds since the epoch. Once. Throws Error.
  void begin(const meeting::JobFiles& files, notation::JobId id, std::uint32_t ntasks,
             const std::optional<notation::Idset>& ranks, double now);
  [[nodiscard]] bool has_begun() const { return writer_ || over_; }
  /// It has begun and not ended.
  [[nodiscard]] bool goes_on() const { return writer_.has_value(); }

  /// Reads what is there and hands it on. Returns false at its end. REQUIRES goes_on(). Throws Error.
  bool forward(double now);
  /// Hands on no more.
  void stop();

 private:
  void write(std::size_t size, double now);

  bool unbuffered_;
  std::optional<meeting::InputWriter> writer_;
  std::string unwritten_;  ///< whose line has not ended
  bool over_ = false;
};

}  // namespace fq::cli
