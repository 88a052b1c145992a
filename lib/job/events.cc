#include "job/events.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::job::events {

using nlohmann::json;

namespace {

Event make(double t, std::string_view name, json context = nullptr) {
  Event event;
  event.timestamp = t;
  event.name = name;
  event.context = std::move(context);
  return event;
}

}  // namespace

Event submit(double t, std::uint32_t userid, std::uint8_t urgency, std::uint32_t flags,
             std::uint64_t number) {
  json context{{"userid", userid}, {"urgency", urgency}, {"flags", flags}, {"version", 1}};
  if (number > 0) context["number"] = number;
  return make(t, "submit", std::move(context));
}

Event validate(double t) {
  return make(t, "validate");
}

Event dependency_add(double t, std::string_view description) {
  return make(t, "dependency-add", json{{"description", description}});
}

Event dependency_remove(double t, std::string_view description) {
  return make(t, "dependency-remove", json{{"description", description}});
}

Event depend(double t) {
  return make(t, "depend");
}

Event urgency(double t, std::uint32_t userid, std::uint8_t urgency) {
  return make(t, "urgency", json{{"userid", userid}, {"urgency", urgency}});
}

Event jobspec_update(double t, std::string_view updates) {
  return make(t, kJobspecUpdate, parse_json(updates, "updates"));
}

Event resource_update(double t, double expiration) {
  return make(t, "resource-update", json{{"expiration", expiration}});
}

Event memo(double t, std::string_view memo) {
  return make(t, "memo", parse_json(memo, "memo"));
}

Event set_flag(double t, std::string_view flag) {
  return make(t, "set-flags", json{{"flags", json::array({flag})}});
}

Event priority(double t, std::uint32_t priority) {
  return make(t, "priority", json{{"priority", priority}});
}

Event alloc(double t, std::string_view annotations, std::string_view boot_id) {
  json context = json::object();
  if (!annotations.empty()) context["annotations"] = parse_json(annotations, "annotations");
  context["boot_id"] = boot_id;
  return make(t, "alloc", std::move(context));
}

Event start(double t) {
  return make(t, "start");
}

Event prolog_start(double t, std::string_view description) {
  return make(t, "prolog-start", json{{"description", description}});
}

Event prolog_finish(double t, std::string_view description, std::int32_t status) {
  return make(t, "prolog-finish", json{{"description", description}, {"status", status}});
}

Event epilog_start(double t, std::string_view description) {
  return make(t, "epilog-start", json{{"description", description}});
}

Event epilog_finish(double t, std::string_view description, std::int32_t status) {
  return make(t, "epilog-finish", json{{"description", description}, {"status", status}});
}

Event shell_restart(double t, std::uint32_t attempt, std::string_view boot_id) {
  return make(t, "shell-restart", json{{"attempt", attempt}, {"boot_id", boot_id}});
}

Event preempt(double t, notation::JobId by, double grace_s, Preemption mode) {
  return make(t, "preempt", json{{"by", by.value}, {"grace", grace_s}, {"mode", name(mode)}});
}

Event requeue(double t, std::uint64_t number) {
  return number == 0 ? make(t, "requeue") : make(t, "requeue", json{{"number", number}});
}

Event exception(double t, std::string_view type, std::uint8_t severity, std::string_view note,
                std::uint32_t userid) {
  json context{{"type", type}, {"severity", severity}, {"note", note}};
  if (userid != kNoUser) context["userid"] = userid;
  return make(t, kException, std::move(context));
}

Event finish(double t, std::int32_t wait_status) {
  return make(t, kFinish, json{{"status", wait_status}});
}

Event release(double t) {
  return make(t, "release", json{{"ranks", "all"}, {"final", true}});
}
Event free(double t) {
  return make(t, "free");
}
Event clean(double t) {
  return make(t, "clean");
}
Event debug(double t, std::string_view what) {
  return make(t, fmt::format("debug.{}", what));
}

}  // namespace fq::job::events
