#include "manager/core/admission.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/constraint.h"
#include "job/events.h"
#include "manager/accounts/use_limits.h"
#include "manager/core/access.h"
#include "manager/core/limits.h"
#include "manager/core/post.h"
#include "manager/pass/schedule_pass.h"
#include "records/keys.h"
#include "sched/matcher.h"

namespace fq::manager {

using document::Jobspec;
using document::QueueConfig;
using nlohmann::json;

namespace {

void require_open(Change& change, const QueueConfig& queue, Exempt exempt) {
  const document::QueueState& state = change.queues().state(queue.name);
  if (!state.enabled) {
    throw error(Kind::refused, "job submission{} is disabled: {}",
                queue.name.empty() ? "" : " to queue " + quote(queue.name), state.disable_reason);
  }
  if (exempt == Exempt::no) require_queue_access(change, queue);
}

// Whether a time limit was asked for, or none at all. RFC 25 requires the attribute, so that its 0 alone only
// says that it is not set.
bool has_duration(const Jobspec& jobspec) {
  const json* unlimited = jobspec.attribute("system.unlimited");
  return jobspec.duration() > 0 || (unlimited != nullptr && *unlimited == true);
}

json queue_updates(const Jobspec& requested, const QueueConfig& queue) {
  json updates = json::object();
  if (!has_duration(requested) && queue.policy.default_duration_s > 0) {
    updates[path::kDuration] = queue.policy.default_duration_s;
  }
  if (!queue.constraint.empty()) {
    const json own = requested.constraints() != nullptr ? *requested.constraints() : json::object();
    json joined = document::join_constraints(own, parse_json(queue.constraint, "constraint"));
    if (joined != own) updates[path::kConstraints] = std::move(joined);
  }
  if (!queue.name.empty() && (!updates.empty() || requested.queue() != queue.name)) {
    updates[path::kQueue] = queue.name;
  }
  return updates;
}

}  // namespace

Admission admit(Change& change, std::uint32_t userid, const Jobspec& requested, Entering entering,
                Exempt exempt) {
  if (requested.constraints() != nullptr)
    document::require_job_constraint_size({*requested.constraints(), std::string{path::kConstraints}});
  records::Queues& queues = change.queues();
  const QueueConfig& queue =
      queues.require(requested.queue().empty() ? queues.default_queue() : requested.queue());
  if (entering == Entering::yes) require_open(change, queue, exempt);
  Admission admission{requested, {}, {}, charged_association(change, userid, requested)};
  json updates = queue_updates(requested, queue);
  if (admission.association) {
    const priority::Association& association = *admission.association;
    if (exempt == Exempt::no) require_associated_queue(association, queue.name);
    if (exempt == Exempt::no) require_associated_project(association, requested.project());
    if (requested.bank().empty()) updates[path::kBank] = association.bank;
    if (std::string project = default_project(change.transaction(), association);
        requested.project().empty() && !project.empty())
      updates[path::kProject] = std::move(project);
  }
  if (!updates.empty()) {
    admission.jobspec.apply_update(updates);
    admission.updates = dump_json(updates);
  }
  job::describe(admission.facts, admission.jobspec);
  sched::Matcher& matcher = change.matcher();
  if (exempt == Exempt::no) {
    const document::QosConfig qos = records::qos_of(change.transaction(), admission.facts.qos);
    require_within_limits(queue, qos, admission.facts, matcher);
  }
  job::Job owned = admission.facts;
  owned.userid = userid;
  if (const auto note = UseLimits(change.transaction(), queues, change.now()).refused(owned))
    throw Error{Kind::refused, *note};
  if (const auto note = matcher.check_feasible(alloc_request(admission.facts, 0))) {
    throw Error{Kind::refused, *note};
  }
  return admission;
}

json with_explicit_duration(json updates) {
  if (updates.contains(path::kDuration)) updates[path::kUnlimited] = true;
  return updates;
}

Jobspec requested_jobspec(Change& change, JobId id) {
  json updates = json::object();
  const std::string log = full_eventlog(change, id);
  if (log.find(job::events::kJobspecUpdate) != std::string::npos) {
    for (const document::Event& event : document::decode_eventlog(log)) {
      if (event.name != job::events::kJobspecUpdate) continue;
      const bool of_queue = event.context.contains(path::kQueue);
      for (const auto& [key, value] : event.context.items()) {
        if (of_queue && (key == path::kDuration || key == path::kConstraints)) continue;
        updates[key] = value;
      }
    }
  }
  auto jobspec = Jobspec::parse(submitted_jobspec_text(change, id));
  if (!updates.empty()) jobspec.apply_update(with_explicit_duration(std::move(updates)));
  return jobspec;
}

}  // namespace fq::manager
