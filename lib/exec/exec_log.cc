#include "exec/exec_log.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"

namespace fq::exec {

using document::Event;
using nlohmann::json;

namespace {

// What the events of one attempt take at most, so that they fit even on a disk that fills up meanwhile.
constexpr std::uint64_t kBytesPerShell = 4096;
constexpr std::uint64_t kBytesPerTask = 256;
constexpr std::uint64_t kMaxReserve = 1U << 20;

constexpr int kTries = 10;
constexpr double kPause = 0.2;  // seconds between them

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

ExecLog::ExecLog(const JobFiles& files, notation::JobId id, std::uint32_t attempt, const Clock& clock,
                 std::uint32_t ntasks)
    : clock_(clock), attempt_(attempt), file_(files.exec_eventlog(id), false) {
  file_.reserve(std::min(kBytesPerShell + kBytesPerTask * ntasks, kMaxReserve));
  // The shell of an attempt before may have died within a line.
  if (attempt > 1 && !read_file(files.exec_eventlog(id)).ends_with('\n')) file_.append("\n");
  post("starting", {{"attempt", attempt}});
}

void ExecLog::post(std::string_view name, const json& context) {
  post(Event{clock_.now(), std::string{name}, context, nullptr});
}

void ExecLog::post(const Event& event) {
  // What cannot be written for another reason than space is lost; the outcome still reaches its caller.
  try {
    file_.append(document::encode_event(event));
  } catch (const Error&) {
    return;
  }
}

void ExecLog::complete(const ShellOutcome& outcome) {
  post(Event{outcome.t_finish, "shell-exit", {{"rank", 0}, {"wait_status", outcome.status}}, nullptr});
  post(Event{outcome.t_finish, "complete", {{"status", outcome.status}, {"attempt", attempt_}}, nullptr});
  post("done", nullptr);
  fault_point("end-written");
  try {
    for (int i = 0; i < kTries && !file_.flush(); ++i) {
      pause_for(kPause);
    }
    file_.drop_kept();
    file_.sync();
  } catch (const Error&) {
    return;
  }
}

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

}  // namespace fq::exec
