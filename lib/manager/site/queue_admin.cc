#include "manager/site/queue_admin.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "manager/core/change.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/look/wait.h"
#include "manager/pass/consultation_due.h"
#include "manager/pass/scheduler_retry.h"

namespace fq::manager {

using store::Family;

namespace {

std::string_view verb_name(QueueRequest::Verb verb) {
  switch (verb) {
    case QueueRequest::Verb::start:
      return "start";
    case QueueRequest::Verb::stop:
      return "stop";
    case QueueRequest::Verb::enable:
      return "enable";
    case QueueRequest::Verb::disable:
      return "disable";
  }
  return "";
}

document::QueueState changed(document::QueueState state, const QueueRequest& request) {
  switch (request.verb) {
    case QueueRequest::Verb::start:
      state.started = true;
      state.stop_reason.clear();
      state.suspended.clear();
      break;
    case QueueRequest::Verb::stop:
      state.started = false;
      state.stop_reason = request.reason;
      break;
    case QueueRequest::Verb::enable:
      state.enabled = true;
      state.disable_reason.clear();
      break;
    case QueueRequest::Verb::disable:
      state.enabled = false;
      state.disable_reason = request.reason;
      break;
  }
  return state;
}

// Adds the event that tells of it to `events`, unless nothing changes.
void set_one(Change& change, const QueueRequest& request, const std::string& queue,
             std::vector<document::Event>& events) {
  const document::QueueState before = change.queues().state(queue);
  const document::QueueState after = changed(before, request);
  if (request.verb == QueueRequest::Verb::start) static_cast<void>(forget_retry(change.transaction(), queue));
  if (after == before) return;
  records::write_queue_state(change.transaction(), queue, after);
  nlohmann::json context{{"queue", queue}};
  if (!request.reason.empty()) context["reason"] = request.reason;
  events.push_back(
      administrative_event(change, fmt::format("queue-{}", verb_name(request.verb)), std::move(context)));
}

std::vector<std::string> wanted_queues(records::Queues& queues, const std::optional<std::string>& queue) {
  if (!queue) return queues.names();
  return {queues.require(*queue).name};
}

}  // namespace

std::string suspension_text(const std::string& reason) {
  return "its scheduler failed: " + reason;
}

QueueStatus status_of(records::Queues& queues, const std::string& name) {
  const document::QueueConfig& queue = *queues.find(name);
  QueueStatus status{name, queues.state(name), queue.parent, false, {}, {}};
  if (!status.state.started) return status;
  if (!status.state.suspended.empty()) {
    status.state.started = false;
    status.state.stop_reason = suspension_text(status.state.suspended);
  } else if (!queue.parent.empty() && !queues.state(queue.parent).started) {
    status.blocked = true;
    status.state.started = false;
    status.state.stop_reason = fmt::format("parent queue {} is stopped", quote(queue.parent));
  } else if (!queue.parent.empty() && !queues.state(queue.parent).suspended.empty()) {
    status.blocked = true;
    status.state.started = false;
    status.state.stop_reason = fmt::format("parent queue {}: {}", quote(queue.parent),
                                           suspension_text(queues.state(queue.parent).suspended));
  }
  return status;
}

std::vector<QueueStatus> set_queue(const Session& session, const QueueRequest& request) {
  std::vector<QueueStatus> reply;
  transact(session, [&](Change& change) {
    require_operator(change, fmt::format("{} a queue", verb_name(request.verb)));
    const bool one = !request.all;
    if (one && request.queue.empty() && change.queues().named()) {
      throw Error{Kind::usage, "which queue? name one, or give --all"};
    }
    const std::vector<std::string> names =
        wanted_queues(change.queues(), one ? std::optional{request.queue} : std::nullopt);
    std::vector<document::Event> events;
    for (const std::string& name : names) set_one(change, request, name, events);
    records::log_instance_events(change.transaction(), events);
    change.forget_queues();
    reply.clear();
    for (const std::string& name : names) reply.push_back(status_of(change.queues(), name));
  });
  return reply;
}

std::vector<QueueStatus> queue_status(const store::Reader& reader, const std::optional<std::string>& queue) {
  records::Queues queues(reader);
  const auto due = consultation_due(reader);
  std::vector<QueueStatus> list;
  for (const std::string& name : wanted_queues(queues, queue)) {
    list.push_back(status_of(queues, name));
    QueueStatus& status = list.back();
    const double now = records::store_time(reader, SystemClock{}).now;
    if (due && status.state.started) {
      const auto since = due->since.find(queues.served_by(name));
      if (since != due->since.end()) status.asked_for_s = std::max(0.0, now - since->second);
    }
    if (status.state.suspended.empty()) continue;
    if (const auto time = next_retry(reader, name)) status.next_try = {*time, std::max(0.0, *time - now)};
  }
  return list;
}

bool wait_for_rest(const Session& session, const std::optional<std::string>& queue, QueueRest rest,
                   double timeout_s) {
  std::vector<std::string_view> statuses{"R", "C"};
  if (rest == QueueRest::empty) statuses.insert(statuses.end(), {"D", "P", "S"});
  return wait_until(session, {}, timeout_s, [&](const store::Reader& reader) {
    std::vector<std::optional<std::string>> parts{std::nullopt};
    if (queue) {
      records::Queues queues(reader);
      const document::QueueConfig& config = queues.require(*queue);
      if (!config.parent.empty()) {
        throw Error{Kind::refused, fmt::format("queue {} is a virtual one", quote(*queue)),
                    fmt::format("wait for its parent: {}", config.parent)};
      }
      parts = {*queue};
      parts.insert(parts.end(), config.virtual_queues.begin(), config.virtual_queues.end());
    }
    for (const std::optional<std::string>& part : parts) {
      const auto counts = records::read_counts(reader, {std::nullopt, part});
      for (const std::string_view status : statuses) {
        if (counts.contains(std::string{status})) return false;
      }
    }
    return true;
  });
}

QueueStatusReply queue_status(const Session& session, const std::optional<std::string>& queue) {
  QueueStatusReply reply;
  query(session, [&](const store::Reader& reader) {
    reply.queues = queue_status(reader, queue);
    auto counts = records::read_counts(reader, {std::nullopt, queue});
    reply.waiting = counts["S"];
    reply.running = counts["R"] + counts["C"];
  });
  return reply;
}

}  // namespace fq::manager
