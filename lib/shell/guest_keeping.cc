#include "shell/guest_keeping.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "meeting/enclosure.h"
#include "meeting/leftovers.h"
#include "meeting/own_guest.h"
#include "meeting/tmpdir.h"
#include "meeting/wake.h"
#include "process/machine/cpu_map.h"
#include "process/tree/cgroup.h"

namespace fq::shell {
namespace {

// Bytes of a task's record, with room to spare.
constexpr std::uint64_t kRecordSize = 128;

}  // namespace

GuestKeeping::GuestKeeping(const meeting::JobFiles& files, const meeting::LaunchPlan& launch,
                           const Clock& clock)
    : files_(files), launch_(launch), clock_(clock) {}

GuestKeeping::~GuestKeeping() {
  // The kernel makes who closes it wait for some milliseconds. The end of the process does it, when the job
  // has ended and nobody waits.
  static_cast<void>(inotify_.release());
}

bool GuestKeeping::open(std::uint32_t ntasks) {
  try {
    if (!exec_log_) exec_log_.emplace(files_, launch_.id, launch_.attempt, clock_, ntasks);
    if (!output_) output_.emplace(files_, launch_.id, clock_, ntasks);
    make_directory(meeting::own_guest_dir(files_, launch_.id));
    records_ = meeting::AppendFile{files_.tasks(launch_.id), false};
    return records_.reserve(kRecordSize * (ntasks + 2));
  } catch (const Error& failure) {
    if (failure.kind() != Kind::no_space) throw;
    return false;
  }
}

void GuestKeeping::post(const document::Event& event) {
  if (exec_log_) exec_log_->post(event);
}

void GuestKeeping::complete(const meeting::ShellOutcome& outcome) {
  if (exec_log_) exec_log_->complete(outcome);
}

void GuestKeeping::touch() {
  meeting::touch_followers(files_, launch_.id, launch_.userid);
}

bool GuestKeeping::watch_orders() {
  control_.emplace(files_, launch_.id);
  inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  return inotify_.valid() &&
         ::inotify_add_watch(inotify_.get(), files_.control(launch_.id).c_str(), IN_MODIFY) >= 0;
}

std::vector<meeting::ControlOrder> GuestKeeping::orders() {
  char events[4096];
  while (inotify_.valid() && ::read(inotify_.get(), events, sizeof events) > 0) {
  }
  return control_ ? control_->read() : std::vector<meeting::ControlOrder>{};
}

UniqueFd GuestKeeping::input() {
  UniqueFd log = open_file(files_.input(launch_.id), O_RDONLY | O_CREAT);
  if (inotify_.valid()) ::inotify_add_watch(inotify_.get(), files_.input(launch_.id).c_str(), IN_MODIFY);
  return log;
}

void GuestKeeping::record(std::string_view lines) {
  records_.append(lines);
  if (records_.kept() > 0) throw system_error("cannot record the job's tasks", ENOSPC);
}

void GuestKeeping::record_place(meeting::PlaceRecord::Kind kind, const std::string& path) {
  records_.append(meeting::encode_record(meeting::PlaceRecord{launch_.attempt, kind, path}));
}

void GuestKeeping::record_tmpdir(const std::string& path) {
  record_place(meeting::PlaceRecord::Kind::tmpdir, path);
}

std::string GuestKeeping::make_cgroup() {
  const auto record = [this](const std::string& path) {
    record_place(meeting::PlaceRecord::Kind::cgroup, path);
  };
  return process::make_job_cgroup(launch_.id, launch_.attempt, record).value_or("");
}

std::optional<meeting::SessionLog> GuestKeeping::sessions() {
  return meeting::SessionLog(files_, launch_.id, launch_.attempt, launch_.boot_id, clock_);
}

void GuestKeeping::remove_places(const std::string& tmpdir, const std::string& cgroup) {
  if (launch_.attempt > 1) {
    meeting::remove_places(files_, launch_.id);  // those of the shells before, too
  } else {
    if (!tmpdir.empty()) meeting::remove_job_tmpdir(tmpdir);
    if (!cgroup.empty()) process::remove_job_cgroup(cgroup);
  }
}

std::string GuestKeeping::own_guest_dir() {
  return meeting::own_guest_dir(files_, launch_.id);
}

void GuestKeeping::end_instance(const std::string& instance) {
  // Each round kills what the one before had let begin.
  constexpr int kRounds = 20;
  constexpr double kWait_s = 1;
  try {
    for (int round = 0; round < kRounds && !meeting::JobFiles{instance}.alive_ids().empty(); ++round) {
      const auto killed = meeting::kill_leftovers(files_, launch_.id, launch_.attempt);
      if (killed.empty()) return;
      static_cast<void>(meeting::await_end(killed, kWait_s));
    }
  } catch (const Error&) {
    return;  // it is no store that others could use
  }
}

std::string GuestKeeping::settle_own_guest() {
  return meeting::settle_own_guest(files_, launch_.id);
}

std::optional<meeting::Enclosure> GuestKeeping::enclosure() {
  return meeting::read_enclosure(files_.store());
}

std::vector<notation::Idset> GuestKeeping::cpu_map() {
  return process::cached_cpu_map(files_.store() + "/cpus");
}

void GuestKeeping::open_terminal(std::optional<Terminal>& terminal, notation::JobId id,
                                 process::WindowSize window, const Clock& clock) {
  terminal.emplace(files_, id, window, clock);
}

}  // namespace fq::shell
