#include "manager/core/log_act.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "manager/core/permission.h"
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

void log_act_on_others(Change& change, std::string_view name, std::span<const JobId> jobs,
                       nlohmann::json context) {
  constexpr std::size_t kMostNamed = 100;
  nlohmann::json others = nlohmann::json::array();
  std::size_t count = 0;
  for (const JobId id : jobs) {
    const job::Job* job = change.find_job(id);
    if (job == nullptr || job->userid == change.caller().uid) continue;
    if (count == 0 && !is_operator(change)) return;
    if (++count <= kMostNamed) others.push_back(id.value);
  }
  if (count == 0) return;
  context["jobs"] = std::move(others);
  if (count > kMostNamed) context["count"] = count;
  log_act(change, name, std::move(context));
}

}  // namespace fq::manager
