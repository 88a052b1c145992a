#include "shell/output.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::shell {

using notation::Idset;

namespace {

std::string_view level_name(int level) {
  if (level <= 2) return "FATAL";
  return level == 3 ? "ERROR" : "WARN";
}

}  // namespace

std::string_view LineBuffer::take(std::string_view bytes) {
  const std::size_t newline = bytes.rfind('\n');
  if (newline == std::string_view::npos) {
    held_.append(bytes);
    if (held_.size() < kMaxLine) return {};
    lines_ = std::exchange(held_, {});
    return lines_;
  }
  lines_ = std::exchange(held_, std::string{bytes.substr(newline + 1)});
  lines_.append(bytes.substr(0, newline + 1));
  return lines_;
}

std::string LineBuffer::rest() {
  return std::exchange(held_, {});
}

std::string label_lines(std::string_view lines, std::string_view prefix, bool& at_line_start) {
  std::string out;
  while (!lines.empty()) {
    if (at_line_start) out += prefix;
    const std::size_t newline = lines.find('\n');
    const std::size_t length = newline == std::string_view::npos ? lines.size() : newline + 1;
    out += lines.substr(0, length);
    at_line_start = newline != std::string_view::npos;
    lines.remove_prefix(length);
  }
  return out;
}

struct OutputRouter::File {
  meeting::AppendFile file;
  bool failed = false;
};

struct OutputRouter::Sink {
  Sink(Stream of, std::uint32_t rank, const document::StreamOption& option)
      : stream(of),
        line_buffered(option.line_buffered),
        label(option.label),
        task(rank),
        prefix(std::to_string(rank) + ": ") {}

  Stream stream;
  bool line_buffered;
  bool label;
  std::uint32_t task;
  std::string prefix;
  LineBuffer lines;
  File* file = nullptr;  ///< null: the log
  bool at_line_start = true;
  bool closed = false;
};

OutputRouter::OutputRouter(OutputLog& log, std::uint32_t ntasks)
    : log_(log), sinks_(std::size_t{2} * ntasks) {}

OutputRouter::~OutputRouter() = default;

OutputRouter::Sink& OutputRouter::sink(std::uint32_t task, Stream stream) {
  return *sinks_[std::size_t{2} * task + (stream == Stream::out ? 0 : 1)];
}

OutputRouter::File* OutputRouter::open_shared(const std::string& path, bool truncate) {
  auto& file = files_[path];
  if (!file) {
    file = std::make_unique<File>();
    try {
      file->file = meeting::AppendFile{path, truncate, 0666};
    } catch (const Error& failure) {
      throw failure.within("output");
    }
  }
  return file.get();
}

void OutputRouter::open_stream(Stream stream, const document::StreamOption& option, bool append,
                               const document::TaskPlan& plan, document::TemplateValues values) {
  std::map<std::string, Idset> redirected;
  for (const document::PlannedTask& task : plan.tasks) {
    auto& slot = sinks_[std::size_t{2} * task.rank + (stream == Stream::out ? 0 : 1)];
    slot = std::make_unique<Sink>(stream, task.rank, option);
    if (option.path.empty()) continue;
    values.task = &task;
    values.node = &plan.nodes[task.node];
    const std::string path = document::render(option.path, values);
    slot->file = open_shared(path, !append);
    redirected[path].insert(task.rank);
  }
  for (const auto& [path, ranks] : redirected) log_.redirect(stream, ranks, path);
}

void OutputRouter::open_streams(const document::ShellOptions& options, const document::TaskPlan& plan,
                                const document::TemplateValues& values) {
  limit_ = options.output_limit;
  open_stream(Stream::out, options.out, options.append, plan, values);
  open_stream(Stream::err, options.err, options.append, plan, values);
  for (const std::string& line : std::exchange(early_, {})) {
    if (File* file = sink(0, Stream::err).file) append_file(*file, line);
  }
}

void OutputRouter::write(std::uint32_t task, Stream stream, std::string_view bytes) {
  Sink& to = sink(task, stream);
  emit(to, to.line_buffered ? to.lines.take(bytes) : bytes);
}

void OutputRouter::close(std::uint32_t task, Stream stream) {
  Sink& to = sink(task, stream);
  if (std::exchange(to.closed, true)) return;
  emit(to, to.lines.rest());
  if (to.file == nullptr) log_.close(task, stream);
}

void OutputRouter::close_all() {
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const Stream stream = i % 2 == 0 ? Stream::out : Stream::err;
    const auto rank = static_cast<std::uint32_t>(i / 2);
    // A job that failed before its streams were open has an end of them all the same.
    if (!sinks_[i]) sinks_[i] = std::make_unique<Sink>(stream, rank, document::StreamOption{});
    close(rank, stream);
  }
}

void OutputRouter::emit(Sink& sink, std::string_view bytes) {
  if (bytes.empty()) return;
  if (sink.file == nullptr) {
    if (log_.write(sink.task, sink.stream, bytes, limit_)) log(4, limit_message(sink.stream, limit_));
  } else if (sink.label) {
    append_file(*sink.file, label_lines(bytes, sink.prefix, sink.at_line_start));
  } else {
    append_file(*sink.file, bytes);
  }
}

void OutputRouter::log(int level, std::string_view message) {
  log_.message(level, message);
  std::string line = fmt::format("fq-shell[0]: {}: {}\n", level_name(level), printable(message));
  if (sinks_.empty() || !sinks_[1]) {
    early_.push_back(std::move(line));
  } else if (File* file = sink(0, Stream::err).file) {
    append_file(*file, line);
  }
}

void OutputRouter::append_file(File& file, std::string_view bytes) {
  if (file.failed) return;
  try {
    file.file.append(bytes);
  } catch (const Error& failure) {
    file.failed = true;
    log(3, fmt::format("{}: output is lost from here on", failure.what()));
  }
}

bool OutputRouter::flush() {
  for (auto& [path, file] : files_) append_file(*file, {});
  log_.flush();
  return !blocked();
}

bool OutputRouter::blocked() const {
  if (log_.blocked()) return true;
  for (const auto& [path, file] : files_) {
    if (file->file.kept() > 0) return true;
  }
  return false;
}

bool OutputRouter::give_up() {
  if (flush()) return has_lost_output();
  for (auto& [path, file] : files_) {
    if (file->file.kept() == 0) continue;
    const std::string reason =
        file->file.out_of_space() ? std::string{system_error("cannot write " + quote(path), ENOSPC).what()}
                                  : fmt::format("nobody reads {}", quote(path));
    file->failed = true;
    file->file.drop_kept();
    log(3, reason + ": output is lost");
  }
  log_.give_up();
  return true;
}

bool OutputRouter::has_lost_output() const {
  return log_.failed() ||
         std::any_of(files_.begin(), files_.end(), [](const auto& file) { return file.second->failed; });
}

}  // namespace fq::shell
