#include "meeting/outcome.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "meeting/task_record.h"

namespace fq::meeting {

using document::Event;
using nlohmann::json;

namespace {

// One that can be posted: tasks, too, can write into the file.
bool is_exception(const Event& event) {
  if (event.name != "exception" || !event.context.is_object()) return false;
  const auto type = event.context.find("type");
  const auto severity = event.context.find("severity");
  return type != event.context.end() && type->is_string() && severity != event.context.end() &&
         severity->is_number_integer();
}

/// The events of one attempt. A log that a crash cut or mixed up gives what of it can be read.
std::vector<Event> events_of(const JobFiles& files, notation::JobId id, std::uint32_t attempt) {
  std::vector<Event> events;
  const auto text = read_file_if_exists(files.exec_eventlog(id));
  if (!text) return events;
  bool inside = false;
  std::string_view rest = document::whole_lines(*text);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    try {
      Event event = document::decode_event(line);
      if (event.name == "starting") {
        inside = event.context.is_object() && event.context.value("attempt", json{}) == json(attempt);
        if (inside) events.clear();
      }
      if (inside) events.push_back(std::move(event));
    } catch (const Error&) {
      continue;
    }
  }
  return events;
}

}  // namespace

std::optional<ShellOutcome> recorded_outcome(const JobFiles& files, notation::JobId id,
                                             std::uint32_t attempt) {
  ShellOutcome outcome;
  for (const Event& event : events_of(files, id, attempt)) {
    if (is_exception(event)) {
      outcome.exceptions.push_back(event);
    } else if (event.name == "complete" && event.context.is_object()) {
      const auto status = event.context.find("status");
      if (status == event.context.end() || !status->is_number_integer()) continue;
      outcome.status = status->get<int>();
      outcome.t_finish = event.timestamp;
      return outcome;
    }
  }
  return std::nullopt;
}

bool any_task_started(const JobFiles& files, notation::JobId id, std::uint32_t attempt) {
  const TaskRecords records = decode_records(read_file_if_exists(files.tasks(id)).value_or(""));
  return std::any_of(records.tasks.begin(), records.tasks.end(), [attempt](const TaskRecord& task) {
    return task.attempt == attempt && task.rank != kPerilogRank;
  });
}

}  // namespace fq::meeting
