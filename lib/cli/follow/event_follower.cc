#include "cli/follow/event_follower.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "door/door.h"
#include "request/follow.h"

namespace fq::cli {
namespace {

constexpr std::string_view kMainLog = "eventlog";
constexpr std::string_view kGuest = "guest.";

struct LogName {
  std::string_view name, path;
};
constexpr std::array kLogs{LogName{"eventlog", kMainLog},
                           LogName{"exec", "guest.exec.eventlog"},
                           LogName{"output", "guest.output"},
                           LogName{"input", "guest.input"},
                           LogName{"prolog", "guest.prolog"},
                           LogName{"epilog", "guest.epilog"},
                           LogName{"housekeeping", "guest.housekeeping"}};

}  // namespace

std::string parse_log_path(std::string_view text) {
  std::vector<std::string> names;
  for (const LogName& log : kLogs) {
    if (text == log.name || text == log.path) return std::string{log.path};
    names.emplace_back(log.name);
  }
  // Of an earlier attempt.
  for (const std::string_view kind : {"prolog.", "epilog.", "housekeeping."}) {
    const std::string_view name = text.starts_with(kGuest) ? text.substr(kGuest.size()) : text;
    if (name.starts_with(kind) && parse_u64(name.substr(kind.size())))
      return fmt::format("{}{}", kGuest, name);
  }
  std::string hint = did_you_mean(text, names);
  if (hint.empty()) hint = "one of " + join(names, ", ");
  throw Error{Kind::invalid, fmt::format("there is no event log {}", quote(text)), hint};
}

EventFollower::EventFollower(const door::Door& door, notation::JobId id, std::string path, Missing missing)
    : door_(door),
      id_(id),
      path_(std::move(path)),
      missing_(missing),
      waiter_(door.waiter(std::span(&id_, 1))) {
  if (path_.starts_with(kGuest)) file_ = door.guest_file(id_, path_.substr(kGuest.size()));
}

EventFollower::Next EventFollower::next(document::Event& event, double deadline) {
  for (;;) {
    if (at_ < events_.size()) {
      event = std::move(events_[at_++]);
      return Next::event;
    }
    events_.clear();
    at_ = 0;
    if (const std::string_view bytes = more(); !bytes.empty()) {
      add(bytes);
      continue;
    }
    if (ended_ || (looked_ && door_.has_read_damaged())) return Next::end;
    if (std::exchange(looked_, true)) {
      const double left = deadline - door_.clock().boot_time();
      if (left <= 0 || !waiter_->wait(left)) return Next::timeout;
    }
    look();
  }
}

void EventFollower::look() {
  if (waiter_->jobs_may_have_changed()) {
    request::FollowRequest request;
    request.id = id_;
    if (!file_) {
      request.eventlog = request::FollowRequest::Eventlog::always;
    } else if (!file_->is_open()) {
      request.logs.push_back({path_.substr(kGuest.size())});
    }
    request::FollowReply reply = door_.ask(request);
    ended_ = reply.job.state == job::State::inactive;
    if (!file_) {
      const std::string& text = *reply.eventlog;
      add(std::string_view{text}.substr(std::min(consumed_, text.size())));
      consumed_ = text.size();
      return;
    }
    if (ended_ && !request.logs.empty()) stored_ = std::move(reply.logs.front());
    const bool absent = ended_ ? !stored_ && !file_->is_open() : !job::is_running(reply.job.state);
    if (absent && (ended_ || missing_ == Missing::refuse)) {
      throw error(Kind::not_found, "job {} has no {}", id_, path_);
    }
  }
  if (!file_) return;
  if (!ended_) {
    waiter_->watch_guest();
    file_->try_open();
  }
}

std::string_view EventFollower::more() {
  if (stored_) return stored_->read();
  return file_ ? file_->read_more() : std::string_view{};
}

void EventFollower::add(std::string_view bytes) {
  unread_ += bytes;
  const std::string_view whole = document::whole_lines(unread_);
  for (document::Event& event : document::decode_eventlog(whole)) events_.push_back(std::move(event));
  unread_.erase(0, whole.size());
}

}  // namespace fq::cli
