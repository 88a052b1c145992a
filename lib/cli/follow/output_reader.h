// The output log of a job (RFC 24) as text for people: what tasks wrote, and what their shell warns of.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "document/event/output.h"

namespace fq::cli {

enum class OutputTo { out, err };

class OutputReader {
 public:
  using Write = std::function<void(OutputTo to, std::string_view text)>;

  /// With `label` each line begins with the rank of its task, `0: `.
  OutputReader(bool label, Write write) : label_(label), write_(std::move(write)) {}

  /// Says of each stream that goes to a file where it goes, `0: stdout redirected to out.txt`.
  void show_redirects() { shows_redirects_ = true; }
  /// Leaves out what the job's shell says.
  void hide_messages() { shows_messages_ = false; }
  /// What this task wrote is shown elsewhere, until the log begins again.
  void leave_out(std::uint32_t rank) { left_out_ = rank; }
  /// Shows of the log what this task wrote to stdout, from that byte on, and nothing else.
  void show_only(std::uint32_t rank, std::uint64_t from);
  /// Takes the next piece of the log, which may end anywhere.
  void add(std::string_view bytes);
  /// What comes next is the beginning of another log.
  void begin_again();
  /// The last warning or error of the shell; empty: none.
  [[nodiscard]] const std::string& last_message() const { return last_message_; }

 private:
  void read(const document::Event& event);

  bool label_;
  bool shows_redirects_ = false;
  bool shows_messages_ = true;
  std::optional<std::uint32_t> left_out_;
  std::optional<std::uint32_t> only_;
  std::uint64_t skip_ = 0;  ///< bytes of its output that are not shown
  Write write_;
  std::string last_message_;
  std::string unread_;
  document::OutputDecoder decoder_;
};

}  // namespace fq::cli
