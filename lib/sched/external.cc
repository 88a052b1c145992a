#include "sched/external.h"

#include "base/error.h"
#include "base/text.h"
#include "sched/annotations.h"
#include "sched/grant_check.h"
#include "sched/timeline.h"

namespace fq::sched {

using notation::JobId;

namespace {

Error protocol_fault(std::string_view what) {
  return {Kind::unavailable, what};
}

}  // namespace

External::External(std::unique_ptr<Channel> channel, Options options)
    : channel_(std::move(channel)), options_(options) {}

template <typename Call>
auto External::blame(const Call& call) {
  try {
    return call();
  } catch (const std::exception& failure) {
    taken_.clear();
    std::string text = failure.what();
    if (const std::string complaint = channel_->last_complaint(); !complaint.empty())
      text += fmt::format(" (it says: {})", printable(complaint));
    throw Error{Kind::unavailable, text};
  }
}

void External::send(std::string_view line) {
  lines_ = bytes_ = 0;
  channel_->send_line(line);
}

std::optional<Message> External::receive() {
  auto line = channel_->receive_line(heard_ ? options_.silence_s : options_.first_silence_s);
  if (!line) return std::nullopt;
  heard_ = true;
  bytes_ += line->size();
  if (++lines_ > kMostLines || bytes_ > kMostBytes) throw protocol_fault("it says more than it is asked");
  try {
    return parse_message(*line);
  } catch (const Error& failure) {
    throw protocol_fault(fmt::format("{}: {}", quote_cut(*line), failure.what()));
  }
}

Message External::require(std::string_view awaited) {
  auto message = receive();
  if (message) return *std::move(message);
  const std::string how = channel_->how_it_ended(options_.silence_s);
  throw protocol_fault(fmt::format("{} before {}", how.empty() ? "it ended" : how, awaited));
}

void External::hello(JobManager& manager, double now) {
  manager_ = &manager;
  now_ = now;
  view_.emplace(manager.pool());
  matcher_.emplace(*view_);
  blame([&] { introduce(); });
}

void External::introduce() {
  bool acquired = false, told = false;
  for (;;) {
    const Message request = require(told ? topic::kReady : topic::kHello);
    if (request.errnum != 0) {
      throw protocol_fault(fmt::format("{}: error {} {}", request.topic, request.errnum, request.errstr));
    }
    if (request.topic == topic::kAcquire && !acquired) {
      acquired = true;
      const notation::Idset up =
          view_->inventory().ranks().subtract(view_->down()).subtract(view_->drained());
      send(encode_message(topic::kAcquire, acquire_payload(view_->inventory(), up)));
    } else if (request.topic == topic::kHello && !told) {
      told = true;
      tell_jobs();
    } else if (request.topic == topic::kReady && told) {
      try {
        ready_ = read_ready(request.payload);
      } catch (const Error& failure) {
        throw protocol_fault(fmt::format("{}: {}", topic::kReady, failure.what()));
      }
      send(encode_message(topic::kReady, {{"count", options_.queue_depth}}));
      break;
    } else {
      throw protocol_fault(fmt::format("{} was not to come {}", quote_cut(request.topic),
                                       told ? "before job-manager.sched-ready" : "first"));
    }
  }
  if (options_.most && (ready_.mode == Ready::Mode::unlimited || ready_.limit > *options_.most))
    ready_ = {Ready::Mode::limited, *options_.most};
}

void External::tell_jobs() {
  manager_->for_each_job(
      [&](const HelloJob& job) { send(encode_message(topic::kHello, hello_payload(job))); });
  send(encode_failure(topic::kHello, kEndOfStream));
}

void External::check_grant(const Outstanding& outstanding, AllocReply& reply) {
  if (const auto fault = grant_fault(*view_, *matcher_, outstanding.request, *reply.R)) {
    throw protocol_fault(fmt::format("job {}: {}", notation::to_f58(reply.id), *fault));
  }
  reply.R = as_granted(*reply.R, view_->inventory(), outstanding.request, now_);
  view_->allocate(*reply.R);
}

void External::tell_free(JobId id, const document::ResourceSet& released) {
  view_->release(released);
  nlohmann::json payload = id_payload(id);
  payload["R"] = nlohmann::json::parse(released.encode());
  send(encode_message(topic::kFree, payload));
  for (;;) {
    const Message message = require("it had answered sched.free");
    if (message.topic != topic::kFree) {
      take(message);
      continue;
    }
    if (message.errnum != 0) throw protocol_fault(fmt::format("sched.free: error {}", message.errnum));
    if (read_id(message.payload) != id) throw protocol_fault("sched.free: answered with another id");
    return;
  }
}

void External::return_dropped() {
  for (const auto& [id, r] : std::exchange(dropped_, {})) tell_free(id, r);
}

void External::take(const Message& message) {
  if (message.topic != topic::kAlloc) {
    throw protocol_fault(fmt::format("{} answers nothing that was asked", quote_cut(message.topic)));
  }
  if (message.errnum != 0) {
    throw protocol_fault(fmt::format("sched.alloc: error {}{}{}", message.errnum,
                                     message.errstr.empty() ? "" : " ", message.errstr));
  }
  AllocReply reply;
  try {
    reply = read_reply(message.payload);
  } catch (const Error& failure) {
    throw protocol_fault(fmt::format("sched.alloc: {}", failure.what()));
  }
  const auto at = outstanding_.find(reply.id);
  if (at == outstanding_.end()) {
    throw protocol_fault(fmt::format("sched.alloc: job {} waits for no answer", reply.id.value));
  }
  if (reply.type == AllocType::cancel && !at->second.canceled) {
    throw protocol_fault(
        fmt::format("job {}: type 3, and its request was not canceled", notation::to_f58(reply.id)));
  }
  if (reply.type == AllocType::success) check_grant(at->second, reply);
  at->second.answered = true;
  const bool ends = reply.type != AllocType::annotate;
  taken_.emplace_back(at->second.request, std::move(reply));
  if (ends) outstanding_.erase(at);
}

std::vector<AllocReply> External::hand_over() {
  std::vector<AllocReply> replies;
  for (auto& [request, reply] : taken_) {
    if (reply.R && !manager_->timeline().grant(request, *reply.R)) {
      dropped_.emplace_back(reply.id, *std::move(reply.R));
      reply = AllocReply{};
      reply.id = request.id;
      reply.annotations =
          pending_annotations("what its scheduler chose is reserved, or another queue has it");
    }
    replies.push_back(std::move(reply));
  }
  taken_.clear();
  return replies;
}

AllocRequest External::as_told(const AllocRequest& request) {
  AllocRequest told = request;
  if (request.constraint.empty()) return told;
  notation::Idset ranks;
  for (const NodeRange& range : matcher_->nodes(request)) {
    const auto between = notation::Idset::from_range(view_->rank(range.begin), view_->rank(range.end - 1));
    ranks = ranks.unite(between.intersect(view_->inventory().ranks()));
  }
  told.constraint = nlohmann::json{{"ranks", {ranks.encode()}}}.dump();
  return told;
}

std::vector<AllocReply> External::alloc(const AllocRequest& request) {
  AllocRequest told;
  try {
    told = as_told(request);
  } catch (const Error& failure) {
    // The job's fault, not the scheduler's: a constraint that RFC 31 does not allow.
    AllocReply denied;
    denied.id = request.id;
    denied.type = AllocType::deny;
    denied.note = fmt::format("unsatisfiable request: {}", failure.what());
    return {denied};
  }
  blame([&] {
    return_dropped();
    const JobId id = request.id;
    if (!outstanding_.emplace(id, Outstanding{request}).second) {
      throw error(Kind::internal, "a second alloc request for job {}", notation::to_f58(id));
    }
    send(encode_message(topic::kAlloc, alloc_payload(told, manager_->jobspec(id))));
    const auto is_answered = [&] {
      const auto at = outstanding_.find(id);
      return at == outstanding_.end() || at->second.answered;
    };
    while (!is_answered()) take(require("it had answered sched.alloc"));
  });
  return hand_over();
}

std::vector<AllocReply> External::cancel(JobId id) {
  if (!outstanding_.contains(id) && !options_.sends_unknown) return {};
  blame([&] {
    return_dropped();
    const auto waiting = outstanding_.find(id);
    if (waiting == outstanding_.end() && !options_.sends_unknown) return;
    if (waiting != outstanding_.end()) waiting->second.canceled = true;
    send(encode_message(topic::kCancel, id_payload(id)));
    while (outstanding_.contains(id)) take(require("it had answered sched.cancel"));
  });
  return hand_over();
}

std::vector<AllocReply> External::prioritize(std::span<const std::pair<JobId, std::uint32_t>> jobs) {
  std::vector<std::pair<JobId, std::uint32_t>> changed;
  for (const auto& [id, priority] : jobs) {
    const auto at = outstanding_.find(id);
    if (at == outstanding_.end() && !options_.sends_unknown) continue;
    if (at != outstanding_.end()) at->second.request.priority = priority;
    changed.emplace_back(id, priority);
  }
  if (!changed.empty()) blame([&] { send(encode_message(topic::kPrioritize, prioritize_payload(changed))); });
  return {};
}

ExpirationReply External::expiration(JobId id, double expiration) {
  using Status = ExpirationReply::Status;
  return blame([&]() -> ExpirationReply {
    send(encode_message(topic::kExpiration, expiration_payload(id, expiration)));
    for (;;) {
      const Message message = require("it had answered sched.expiration");
      if (message.topic != topic::kExpiration) {
        take(message);
        continue;
      }
      if (message.errnum == 0) return {Status::accepted, {}};
      if (message.errnum == kNotImplemented) return {Status::not_implemented, {}};
      return {Status::refused,
              message.errstr.empty() ? fmt::format("error {}", message.errnum) : message.errstr};
    }
  });
}

std::vector<AllocReply> External::free(JobId id, const document::ResourceSet& released, bool) {
  manager_->timeline().release(id, released);
  blame([&] {
    return_dropped();
    tell_free(id, released);
  });
  return hand_over();
}

std::vector<AllocReply> External::finish() {
  blame([&] {
    return_dropped();
    lines_ = bytes_ = 0;
    channel_->close_input();
    while (const auto message = receive()) take(*message);
    if (const std::string how = channel_->how_it_ended(options_.silence_s); !how.empty())
      throw protocol_fault(how);
  });
  return hand_over();
}

}  // namespace fq::sched
