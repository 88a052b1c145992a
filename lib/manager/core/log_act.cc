#include "manager/core/log_act.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "records/instance.h"

namespace fq::manager {

document::Event administrative_event(const Change& change, std::string_view name, nlohmann::json context) {
  document::Event event;
  event.timestamp = change.now();
  event.name = name;
  event.context = std::move(context);
  event.context["userid"] = change.caller().uid;
  return event;
}

void log_act(Change& change, std::string_view name, nlohmann::json context) {
  records::log_instance_event(change.transaction(), administrative_event(change, name, std::move(context)));
}

}  // namespace fq::manager
