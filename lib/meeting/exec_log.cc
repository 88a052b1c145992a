#include "meeting/exec_log.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"

namespace fq::meeting {

using document::Event;
using nlohmann::json;

namespace {

// What the events of one attempt take at most, so that they fit even on a disk that fills up meanwhile.
constexpr std::uint64_t kBytesPerShell = 4096;
constexpr std::uint64_t kBytesPerTask = 256;
constexpr std::uint64_t kMaxReserve = 1U << 20;

constexpr int kTries = 10;
constexpr double kPause = 0.2;  // seconds between them

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

}  // namespace fq::meeting
