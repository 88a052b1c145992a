#include "manager/queue_admin.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "manager/permission.h"
#include "records/keys.h"

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

// With scheduling stopped the requests to the scheduler end, and what it said of them is void (RFC 27, 33).
void discard_annotations(Change& change) {
  std::vector<std::string> keys;
  for (const auto at = change.transaction().scan_prefix(Family::instance, records::key::kAnnotationPrefix);
       at->valid(); at->next()) {
    keys.emplace_back(at->key());
  }
  for (const std::string& key : keys) change.transaction().erase(Family::instance, key);
}

}  // namespace

records::QueueState set_queue(const Session& session, const QueueRequest& request) {
  records::QueueState state;
  transact(session, [&](Change& change) {
    require_owner(change, fmt::format("only the owner may {} a queue", verb_name(request.verb)));
    if (!request.queue.empty()) {
      throw error(Kind::not_found, "queue {} does not exist: no queues are configured", quote(request.queue));
    }
    state = records::read_queue_state(change.transaction(), request.queue);
    const records::QueueState before = state;
    switch (request.verb) {
      case QueueRequest::Verb::start:
        state.started = true;
        state.stop_reason.clear();
        break;
      case QueueRequest::Verb::stop:
        state.started = false;
        state.stop_reason = request.reason;
        discard_annotations(change);
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
    if (state == before) return;
    records::write_queue_state(change.transaction(), request.queue, state);
    document::Event event;
    event.timestamp = change.now();
    event.name = fmt::format("queue-{}", verb_name(request.verb));
    event.context = {{"queue", request.queue}, {"userid", change.caller().uid}};
    if (!request.reason.empty()) event.context["reason"] = request.reason;
    records::log_instance_event(change.transaction(), event);
  });
  return state;
}

}  // namespace fq::manager
