#include "sched/protocol.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "document/jobspec/jobspec.h"

namespace fq::sched {

using nlohmann::json;
using notation::JobId;

namespace {

constexpr std::int64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

JobId id_at(const JsonAt& at) {
  const JsonAt id = at.at("id");
  if (!id.value().is_number_unsigned()) throw id.fail("expected a job id");
  return JobId{id.value().get<std::uint64_t>()};
}

std::uint32_t number_at(const JsonAt& at, const char* key) {
  return static_cast<std::uint32_t>(at.at(key).as_integer(0, kMost32));
}

// What the job manager itself reads of annotations: the rest is the scheduler's own.
std::string annotations_at(const JsonAt& at) {
  constexpr double kLatest = 253402300799;  // the end of the year 9999
  if (const auto sched = at.object().find("sched"); sched && sched->value().is_object()) {
    if (const auto estimate = sched->find("t_estimate"); estimate && !estimate->value().is_null()) {
      const double time = estimate->as_number();
      if (time < 0 || time > kLatest) throw estimate->fail("expected seconds since the epoch");
    }
    if (const auto reason = sched->find("reason_pending"); reason && !reason->value().is_null())
      static_cast<void>(reason->as_string());
  }
  return dump_json(at.value());
}

json resource_json(const document::ResourceSet& r) {
  return json::parse(r.encode());
}

}  // namespace

Message parse_message(std::string_view line) {
  const json document = parse_json(line, "message");
  const JsonAt at{document, {}};
  at.object();
  Message message;
  message.topic = at.at("topic").as_string();
  if (const auto number = at.find("errnum")) {
    message.errnum = static_cast<int>(number->as_integer(1, 4095));
    if (const auto text = at.find("errstr")) message.errstr = text->as_string();
  } else if (const auto payload = at.find("payload"); payload && !payload->value().is_null()) {
    message.payload = payload->object().value();
  }
  return message;
}

std::string encode_message(std::string_view topic, const json& payload) {
  return dump_json({{"topic", topic}, {"payload", payload}});
}

std::string encode_failure(std::string_view topic, int errnum, std::string_view errstr) {
  json message{{"topic", topic}, {"errnum", errnum}};
  if (!errstr.empty()) message["errstr"] = errstr;
  return dump_json(message);
}

json acquire_payload(const document::ResourceSet& inventory, const notation::Idset& up) {
  json resources = resource_json(inventory);
  json& hosts = resources["execution"]["nodelist"] = json::array();
  for (const document::ResourceSet::Node& node : inventory.nodes()) hosts.push_back(node.host);
  return {{"resources", std::move(resources)}, {"up", up.encode()}};
}

json hello_payload(const HelloJob& job) {
  return {{"id", job.id.value},
          {"priority", job.priority},
          {"userid", job.userid},
          {"t_submit", job.t_submit},
          {"R", resource_json(job.R)}};
}

HelloJob read_hello(const json& payload) {
  const JsonAt at{payload, "payload"};
  HelloJob job;
  job.id = id_at(at);
  job.priority = number_at(at, "priority");
  job.userid = number_at(at, "userid");
  job.t_submit = at.at("t_submit").as_number();
  job.R = document::ResourceSet::from_json(at.at("R"));
  return job;
}

json ready_payload(const Ready& ready) {
  if (ready.mode == Ready::Mode::unlimited) return {{"mode", "unlimited"}};
  return {{"mode", "limited"}, {"limit", ready.limit}};
}

Ready read_ready(const json& payload) {
  const JsonAt at{payload, "payload"};
  const JsonAt mode = at.at("mode");
  if (mode.as_string() == "unlimited") return {};
  if (mode.as_string() != "limited") throw mode.fail("expected 'unlimited' or 'limited'");
  return {Ready::Mode::limited, static_cast<std::uint32_t>(at.at("limit").as_integer(1, Ready::kLimitMax))};
}

json alloc_payload(const AllocRequest& request, std::string_view jobspec) {
  json document = parse_json(jobspec, "jobspec");
  json& system = document["attributes"]["system"];
  if (system.is_null()) system = json::object();
  system.erase("environment");
  system["duration"] = request.duration;
  if (!request.constraint.empty()) system["constraints"] = parse_json(request.constraint, "constraint");
  return {{"id", request.id.value},
          {"priority", request.priority},
          {"userid", request.userid},
          {"t_submit", request.t_submit},
          {"jobspec", std::move(document)}};
}

AllocRequest read_alloc(const json& payload) {
  const JsonAt at{payload, "payload"};
  AllocRequest request;
  request.id = id_at(at);
  request.priority = number_at(at, "priority");
  request.userid = number_at(at, "userid");
  if (const auto t_submit = at.find("t_submit")) request.t_order = request.t_submit = t_submit->as_number();
  const auto jobspec = document::Jobspec::from_json(at.at("jobspec").value());
  request.counts = jobspec.counts();
  request.duration = request.least_duration = jobspec.duration();
  if (const json* constraint = jobspec.constraints()) request.constraint = dump_json(*constraint);
  request.queue = jobspec.queue();
  return request;
}

json reply_payload(const AllocReply& reply) {
  json payload{{"id", reply.id.value}, {"type", static_cast<int>(reply.type)}};
  if (reply.type == AllocType::deny) {
    if (!reply.note.empty()) payload["note"] = reply.note;
  } else if (reply.type != AllocType::cancel) {
    if (!reply.annotations.empty() || reply.type == AllocType::annotate)
      payload["annotations"] =
          reply.annotations.empty() ? json::object() : parse_json(reply.annotations, "annotations");
    if (reply.R) payload["R"] = resource_json(*reply.R);
  }
  return payload;
}

AllocReply read_reply(const json& payload) {
  const JsonAt at{payload, "payload"};
  AllocReply reply;
  reply.id = id_at(at);
  reply.type = static_cast<AllocType>(at.at("type").as_integer(0, 3));
  switch (reply.type) {
    case AllocType::success:
      if (const auto annotations = at.find("annotations")) reply.annotations = annotations_at(*annotations);
      reply.R = document::ResourceSet::from_json(at.at("R"));
      break;
    case AllocType::annotate:
      reply.annotations = annotations_at(at.at("annotations"));
      if (reply.annotations == "{}") reply.annotations.clear();
      break;
    case AllocType::deny:
      if (const auto note = at.find("note")) reply.note = note->as_string();
      break;
    case AllocType::cancel:
      at.allow_only({"id", "type"});
      break;
  }
  return reply;
}

json id_payload(JobId id) {
  return {{"id", id.value}};
}

JobId read_id(const json& payload) {
  return id_at(JsonAt{payload, "payload"});
}

json prioritize_payload(std::span<const std::pair<JobId, std::uint32_t>> jobs) {
  json list = json::array();
  for (const auto& [id, priority] : jobs) list.push_back({id.value, priority});
  return {{"jobs", std::move(list)}};
}

json expiration_payload(JobId id, double expiration) {
  return {{"id", id.value}, {"expiration", std::llround(expiration)}};
}

}  // namespace fq::sched
