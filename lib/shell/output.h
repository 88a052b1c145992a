// Where the tasks' output goes: the job's output log, or files, by task and stream. Written through:
// what a call took is in the file when flush() returns, so that memory does not grow with the output.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/jobspec/shell_options.h"
#include "document/jobspec/task_plan.h"
#include "document/jobspec/template.h"
#include "meeting/append_file.h"
#include "shell/output_log.h"

namespace fq::shell {

/// Gathers bytes to whole lines; a line longer than kMaxLine is cut.
class LineBuffer {
 public:
  static constexpr std::size_t kMaxLine = 65536;
  /// The whole lines that `bytes` completes, newlines included; valid until the next call.
  [[nodiscard]] std::string_view take(std::string_view bytes);
  /// What was left of a line.
  [[nodiscard]] std::string rest();

 private:
  std::string held_;
  std::string lines_;
};

/// `lines` with `prefix` before each line. `at_line_start` says whether a new line begins, and is updated.
[[nodiscard]] std::string label_lines(std::string_view lines, std::string_view prefix, bool& at_line_start);

class OutputRouter {
 public:
  /// `log` outlives this.
  OutputRouter(OutputLog& log, std::uint32_t ntasks);
  ~OutputRouter();

  /// Opens the files that `options` name, relative to the working directory and with the process's umask, and
  /// says in the log where they are. `values` has no task. Throws Error when one cannot be opened.
  void open_streams(const document::ShellOptions& options, const document::TaskPlan& plan,
                    const document::TemplateValues& values);

  /// Bytes that a task wrote. REQUIRES open_streams.
  void write(std::uint32_t task, Stream stream, std::string_view bytes);
  /// End of a task's stream; a second one is ignored.
  void close(std::uint32_t task, Stream stream);
  /// End of every stream that has not ended.
  void close_all();
  /// A message of the shell, for the log and, where stderr goes to a file, for that. Level as in RFC 5424:
  /// 2 fatal, 3 error, 4 warning.
  void log(int level, std::string_view message);

  /// Writes what was gathered. Returns true when all is written, false when a file takes no more now: then
  /// nothing should be read from the tasks until a later flush() returns true.
  bool flush();
  /// Whether a file takes no more now.
  [[nodiscard]] bool blocked() const;
  /// Gives up what no file takes. Returns true when something was lost, now or before.
  bool give_up();
  /// Makes the log and its name durable, if it tells more than that nothing was written; files that users
  /// named are theirs to sync. Returns false when it cannot be.
  bool sync() { return log_.sync(); }

 private:
  struct Sink;
  struct File;

  void emit(Sink& sink, std::string_view bytes);
  void append_file(File& file, std::string_view bytes);
  File* open_shared(const std::string& path, bool truncate);
  void open_stream(Stream stream, const document::StreamOption& option, bool append,
                   const document::TaskPlan& plan, document::TemplateValues values);
  [[nodiscard]] bool has_lost_output() const;
  [[nodiscard]] Sink& sink(std::uint32_t task, Stream stream);

  OutputLog& log_;
  std::map<std::string, std::unique_ptr<File>> files_;
  std::vector<std::unique_ptr<Sink>> sinks_;  ///< two a task: out, err
  std::vector<std::string> early_;            ///< messages for the stderr file, before it is open
  std::uint64_t limit_ = 0;                   ///< bytes of each stream in the log
};

}  // namespace fq::shell
