// What the user's half says to its keeper, taken in as far as it makes sense and is bounded. See
// keeper_run.h.

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "meeting/said.h"
#include "shell/keeper_run.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxMessages = 10'000;
constexpr std::size_t kMaxExceptions = 16;

}  // namespace

void Keeper::on_frames() {
  Wire::Frame frame;
  try {
    while (!keeping_.output()->blocked() && wire_->receive(frame)) take(frame);
  } catch (const Error& failure) {
    // Nothing that follows can be understood.
    fail(fmt::format("the user's half of the shell says what makes no sense: {}", failure.what()));
    timers_[Timer::kill] = clock_.boot_time();
    wire_.emplace(UniqueFd{::open("/dev/null", O_RDONLY | O_CLOEXEC)},
                  UniqueFd{::open("/dev/null", O_WRONLY | O_CLOEXEC)});
  }
}

std::uint32_t Keeper::task_of(const std::string& text) const {
  const auto task = parse_u64(text);
  if (!task || *task >= ntasks_) throw error(Kind::invalid, "there is no task {}", cut(text, 20));
  return static_cast<std::uint32_t>(*task);
}

void Keeper::take(const Wire::Frame& frame) {
  const auto is = [&](std::string_view kind, std::size_t size) {
    return frame[0] == kind && frame.size() == size;
  };
  const auto stream_of = [](const std::string& text) {
    if (text != "0" && text != "1") throw Error{Kind::invalid, "there is no such stream"};
    return text == "0" ? Stream::out : Stream::err;
  };
  OutputLog& output = *keeping_.output();
  if (status_) throw Error{Kind::invalid, "it goes on after its end"};
  if (is("data", 4)) {
    const std::uint32_t task = task_of(frame[1]);
    const Stream stream = stream_of(frame[2]);
    if (closed_.contains({task, stream})) throw Error{Kind::invalid, "a stream goes on after its end"};
    if (output.write(task, stream, frame[3], options_.output_limit))
      log(4, limit_message(stream, options_.output_limit));
  } else if (is("close", 3)) {
    const std::uint32_t task = task_of(frame[1]);
    const Stream stream = stream_of(frame[2]);
    if (closed_.insert({task, stream}).second) output.close(task, stream);
  } else if (is("redirect", 4)) {
    const notation::Idset tasks = notation::Idset::decode(frame[2]);
    if (tasks.empty() || tasks.last() >= ntasks_ || frame[3].size() > kMaxPath ||
        ++messages_ > kMaxMessages + ntasks_)
      throw Error{Kind::invalid, "that is no redirection"};
    output.redirect(stream_of(frame[1]), tasks, frame[3]);
  } else if (is("message", 3)) {
    const auto level = parse_u64(frame[1]);
    if (!level || *level > 7) throw Error{Kind::invalid, "there is no such level"};
    if (++messages_ <= kMaxMessages) log(static_cast<int>(*level), cut(frame[2], kMaxNote));
  } else if (is("event", 2)) {
    take_event(frame[1]);
  } else if (is("terminal", 1)) {
    open_terminal();
  } else if (relays_ && relays_->take(frame)) {
    return;
  } else if (is("tasks", 2)) {
    take_tasks(frame[1]);
  } else if (is("place", 2)) {
    take_place(frame[1]);
  } else if (is("guest", 3)) {
    if (!guest_)
      guest_.emplace(keeping_.own_guest_dir(), launch_.most_output.value_or(meeting::kMaxOwnBytes));
    guest_->add(frame[1], frame[2]);
  } else if (is("taken", 1)) {
    input_taken_ = true;
  } else if (is("end", 3)) {
    take_end(frame[1], frame[2]);
  } else {
    throw Error{Kind::invalid, "there is no such frame"};
  }
}

void Keeper::take_event(const std::string& line) {
  document::Event event = document::decode_event(line);
  const bool known =
      event.name == "shell.init" || event.name == "shell.start" || event.name == "shell.task-exit";
  // Exceptions come with the end.
  if (event.name == "exception") return;
  if (!known || ++events_ > std::size_t{2} + ntasks_) throw Error{Kind::invalid, "there is no such event"};
  event.timestamp = clock_.now();
  keeping_.post(event);
}

// Only numbers of it go on.
void Keeper::take_tasks(const std::string& lines) {
  std::string records;
  for (meeting::TaskRecord task : meeting::decode_records(lines).tasks) {
    if (task.rank >= ntasks_) continue;  // what keeps the job's instance is no task
    if (++tasks_ > ntasks_) throw Error{Kind::invalid, "there are not so many tasks"};
    task.attempt = launch_.attempt;
    task.boot_id = launch_.boot_id;
    records += meeting::encode_record(task);
  }
  if (!records.empty()) meeting::note_said(files_, launch_.id, records);
}

void Keeper::take_place(const std::string& path) {
  if (path.empty() || path.front() != '/' || path.size() > kMaxPath || printable(path) != path ||
      ++places_ > 1)
    throw Error{Kind::invalid, "that is no directory"};
  meeting::note_said(files_, launch_.id,
                     meeting::encode_record(
                         meeting::PlaceRecord{launch_.attempt, meeting::PlaceRecord::Kind::tmpdir, path}));
}

void Keeper::take_end(const std::string& status, const std::string& exceptions) {
  const auto number = parse_u64(status);
  if (!number || *number > 0xffff) throw Error{Kind::invalid, "that is no status"};
  for (const document::Event& event : document::decode_eventlog(exceptions)) {
    const json& context = event.context;
    const auto type = context.is_object() ? context.find("type") : context.end();
    if (!context.is_object() || type == context.end() || (*type != "exec" && *type != "dump") ||
        exceptions_.size() >= kMaxExceptions)
      continue;
    const json note = context.value("note", json(""));
    const json severity = context.value("severity", json(0));
    raise(type->get<std::string>(), severity == 0 && *type == "exec" ? 0 : 1,
          cut(note.is_string() ? note.get<std::string>() : "", kMaxNote));
  }
  status_ = static_cast<int>(*number);
}

}  // namespace fq::shell
