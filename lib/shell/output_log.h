// Where a job's output is kept that goes to no file of the user's: the guest output log (RFC 24), or the
// keeper of it, at the other end of a pipe (wire_keeping.h).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "document/event/output.h"
#include "meeting/append_file.h"
#include "meeting/job_files.h"

namespace fq::shell {

enum class Stream { out, err };

[[nodiscard]] std::string_view stream_name(Stream stream);

class OutputLog {
 public:
  virtual ~OutputLog() = default;

  /// Bytes that a task wrote. What goes beyond `limit` bytes of each stream of the job is left out; returns
  /// true when this begins, which is to be told.
  [[nodiscard]] virtual bool write(std::uint32_t task, Stream stream, std::string_view bytes,
                                   std::uint64_t limit) = 0;
  /// The task's stream has ended.
  virtual void close(std::uint32_t task, Stream stream) = 0;
  /// The stream of these tasks goes to that file.
  virtual void redirect(Stream stream, const notation::Idset& tasks, const std::string& path) = 0;
  /// A message of the shell. Level as in RFC 5424.
  virtual void message(int level, std::string_view text) = 0;

  /// Writes what was gathered; what is not taken now is kept.
  virtual void flush() = 0;
  /// Whether something is kept.
  [[nodiscard]] virtual bool blocked() const = 0;
  /// Gives up what is kept.
  virtual void give_up() = 0;
  /// Makes it durable, where that is this one's to do. Returns false when it cannot be.
  virtual bool sync() = 0;
  /// Whether something could not be written.
  [[nodiscard]] virtual bool failed() const = 0;
};

/// The message for the one stream of which no more is kept.
[[nodiscard]] std::string limit_message(Stream stream, std::uint64_t limit);

class GuestOutputLog final : public OutputLog {
 public:
  /// Begins the log of a new attempt with its header. Throws Error.
  GuestOutputLog(const meeting::JobFiles& files, notation::JobId id, const Clock& clock,
                 std::uint32_t ntasks);

  [[nodiscard]] bool write(std::uint32_t task, Stream stream, std::string_view bytes,
                           std::uint64_t limit) override;
  void close(std::uint32_t task, Stream stream) override;
  void redirect(Stream stream, const notation::Idset& tasks, const std::string& path) override;
  void message(int level, std::string_view text) override;
  void flush() override;
  [[nodiscard]] bool blocked() const override { return log_.kept() > 0; }
  void give_up() override;
  bool sync() override;
  [[nodiscard]] bool failed() const override { return failed_; }

 private:
  void append(const document::Event& event);
  void write_batch();
  [[nodiscard]] document::OutputEncoder& encoder(std::uint32_t task, Stream stream);

  const Clock& clock_;
  meeting::AppendFile log_;
  bool failed_ = false;
  std::string batch_;                                             ///< encoded events not yet given to log_
  std::vector<std::optional<document::OutputEncoder>> encoders_;  ///< two a task: out, err
  std::uint64_t logged_[2] = {0, 0};                              ///< bytes of each stream
  bool has_messages_ = false;
};

}  // namespace fq::shell
