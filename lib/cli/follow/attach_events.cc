#include "cli/follow/attach_events.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "document/event/eventlog.h"
#include "meeting/outcome.h"

namespace fq::cli {
namespace {

constexpr std::string_view kExec = "exec.";

}  // namespace

AttachEvents::AttachEvents(Options options, std::function<void(std::string_view)> write)
    : options_(std::move(options)),
      write_(std::move(write)),
      waits_exec_(options_.wait && options_.wait->starts_with(kExec)) {}

void AttachEvents::take_job(std::string_view log) {
  const std::string_view more = log.substr(std::min(std::exchange(seen_, log.size()), log.size()));
  for (const document::Event& event : document::decode_eventlog(more)) {
    if (options_.job) {
      tell(event, "job.");
    } else if (options_.notes && event.name == "exception" && event.context.is_object()) {
      tell_note(event);
    }
    if (event.name == "start") t_tasks_ = std::max(t_tasks_, event.timestamp);
    if (options_.wait == event.name) found_ = true;
  }
}

void AttachEvents::take_exec(std::string_view bytes) {
  unread_ += bytes;
  const std::string_view whole = document::whole_lines(unread_);
  for (const document::Event& event : document::decode_eventlog(whole)) {
    if (options_.exec) tell(event, kExec);
    if (event.name == "shell.start") t_tasks_ = std::max(t_tasks_, event.timestamp);
    if (waits_exec_ && std::string_view{*options_.wait}.substr(kExec.size()) == event.name) found_ = true;
  }
  unread_.erase(0, whole.size());
}

void AttachEvents::tell(const document::Event& event, std::string_view log) {
  std::string line = fmt::format("{:.3f}s: {}{}", event.timestamp - t_submit_, log, printable(event.name));
  if (event.context.is_object() && !event.context.empty()) line.append(" ").append(dump_json(event.context));
  unshown_.emplace_back(event.timestamp, std::move(line) + "\n");
}

void AttachEvents::tell_note(const document::Event& event) {
  const std::int64_t severity = event.context.value("severity", std::int64_t{0});
  const std::string note = event.context.value("note", "");
  // The first is told when the job has ended, and so is the second.
  if (severity == 0 || note == meeting::kIncompleteOutput) return;
  unshown_.emplace_back(
      event.timestamp,
      fmt::format("{:.3f}s: job.exception {} type={} severity={} {}\n", event.timestamp - t_submit_, id_,
                  printable(event.context.value("type", "")), severity, printable(note)));
}

void AttachEvents::show() {
  show_until(std::numeric_limits<double>::infinity());
}

void AttachEvents::show_beginning() {
  show_until(t_tasks_);
}

void AttachEvents::show_until(double time) {
  std::stable_sort(unshown_.begin(), unshown_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto end =
      std::find_if(unshown_.begin(), unshown_.end(), [&](const auto& each) { return each.first > time; });
  for (auto each = unshown_.begin(); each != end; ++each) write_(each->second);
  unshown_.erase(unshown_.begin(), end);
}

}  // namespace fq::cli
