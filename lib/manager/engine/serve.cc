#include "manager/engine/serve.h"

#include <array>
#include <utility>

#include "document/config/queue_instances.h"
#include "manager/accounts/edit.h"
#include "manager/accounts/overview.h"
#include "manager/accounts/transfer.h"
#include "manager/accounts/usage_report.h"
#include "manager/core/caller_names.h"
#include "manager/jobs/cancel.h"
#include "manager/jobs/housekeeping.h"
#include "manager/jobs/kill.h"
#include "manager/jobs/memo.h"
#include "manager/jobs/purge.h"
#include "manager/jobs/service_data.h"
#include "manager/jobs/submit.h"
#include "manager/jobs/update.h"
#include "manager/jobs/urgency.h"
#include "manager/look/enclosing.h"
#include "manager/look/follow.h"
#include "manager/look/instance_log.h"
#include "manager/look/job_list.h"
#include "manager/look/place.h"
#include "manager/look/priority_overview.h"
#include "manager/look/query.h"
#include "manager/look/wait.h"
#include "manager/look/watch.h"
#include "manager/look/why.h"
#include "manager/pass/period_timer.h"
#include "manager/site/advance_reservation.h"
#include "manager/site/configure.h"
#include "manager/site/drain.h"
#include "manager/site/instance_overview.h"
#include "manager/site/queue_admin.h"
#include "manager/site/queue_overview.h"
#include "manager/site/reload.h"
#include "manager/site/resource_use.h"
#include "manager/site/site_report.h"
#include "request/table.h"

namespace fq::manager {
namespace {

using request::Nothing;

// Jobs.

request::JobIds answer(const Session& session, const request::SubmitRequest& request) {
  return {submit(session, request.groups)};
}
request::RaiseReply answer(const Session& session, const request::RaiseRequest& request) {
  return manager::raise(session, request);
}
request::KillReply answer(const Session& session, const request::KillRequest& request) {
  return kill_jobs(session, request);
}
request::UrgencyRequest::Reply answer(const Session& session, const request::UrgencyRequest& request) {
  return set_urgency(session, request);
}
request::UpdateRequest::Reply answer(const Session& session, const request::UpdateRequest& request) {
  return update_jobs(session, request);
}
Nothing answer(const Session& session, const request::MemoRequest& request) {
  add_memo(session, request);
  return {};
}
Nothing answer(const Session& session, const request::ServiceDataRequest& request) {
  keep_service_data(session, request);
  return {};
}
request::PurgeReply answer(const Session& session, const request::PurgeRequest& request) {
  return purge(session, request);
}
Nothing answer(const Session& session, const request::TakeResultRequest& request) {
  take_result(session, request.id);
  return {};
}
request::WaitableReply answer(const Session& session, const request::WaitForWaitableRequest& request) {
  return {wait_waitable(session, request.most, session.clock->boot_time() + request.timeout_s, request.but)};
}

// What readers ask of jobs.

void answer(const Session& session, const request::JobListRequest& request,
            const request::JobListRows& rows) {
  list_jobs(session, request, rows);
}
request::ListedJob answer(const Session& session, const request::FindJobRequest& request) {
  return find_job(session, request.id);
}
Nothing answer(const Session& session, const request::RequireJobsRequest& request) {
  require_jobs(session, request.ids);
  return {};
}
request::JobIds answer(const Session& session, const request::LastJobsRequest& request) {
  return {last_jobs(session, request.userid, request.count)};
}
request::TimeLeftReply answer(const Session& session, const request::TimeLeftRequest& request) {
  return {time_left(session, request.id)};
}
request::JobIds answer(const Session& session, const request::EnclosingRequest& request) {
  return {enclosing_jobs(session, request)};
}
request::TasksReply answer(const Session& session, const request::TasksRequest& request) {
  return tasks_of(session, request.id);
}
request::InstancesReply answer(const Session& session, const request::InstancesRequest& request) {
  return instances_of(session, request);
}
request::WhyReply answer(const Session& session, const request::WhyRequest& request) {
  return {why(session, request.id)};
}
request::FollowReply answer(const Session& session, const request::FollowRequest& request) {
  return follow_job(session, request);
}
request::WatchReply answer(const Session& session, const request::WatchRequest& request) {
  return watch_jobs(session, request);
}
request::JobReply answer(const Session& session, const request::WaitForJobRequest& request) {
  return {wait_inactive(session, request.id, request.timeout_s)};
}
Nothing answer(const Session& session, const request::WaitForJobsRequest& request) {
  wait_inactive(session, request.ids);
  return {};
}
request::DocumentReply answer(const Session& session, const request::DocumentRequest& request) {
  return {read_document(session, request)};
}
request::DocumentKeysReply answer(const Session& session, const request::DocumentKeysRequest& request) {
  return {document_keys(session, request.id)};
}
request::PriorityReply answer(const Session& session, const request::PriorityRequest& request) {
  return {priority_rows(session, request)};
}
request::SupposeReply answer(const Session& session, const request::SupposeRequest& request) {
  return {suppose(session, request)};
}

// The site.

request::QueueReply answer(const Session& session, const request::QueueRequest& request) {
  return {set_queue(session, request)};
}
request::QueueStatusReply answer(const Session& session, const request::QueueStatusRequest& request) {
  return queue_status(session, request.queue);
}
request::QueueOverviewReply answer(const Session& session, const request::QueueOverviewRequest& request) {
  return {queue_overview(session, request.wanted)};
}
request::RestReply answer(const Session& session, const request::WaitForRestRequest& request) {
  return {wait_for_rest(session, request.queue, request.rest, request.timeout_s)};
}
request::QueuePrioritiesReply answer(const Session& session, const request::QueuePrioritiesRequest& request) {
  return {queue_priorities(session, request.queue)};
}
request::PriorityUpdate answer(const Session& session, const request::UpdatePrioritiesRequest& /*request*/) {
  return update_priorities(session);
}
request::NodesReply answer(const Session& session, const request::DrainRequest& request) {
  return {drain_nodes(session, request)};
}
request::NodesReply answer(const Session& session, const request::UndrainRequest& request) {
  return {undrain_nodes(session, request.targets, request.force, request.reason)};
}
request::HousekeepingReply answer(const Session& session, const request::HousekeepingRequest& /*request*/) {
  return list_housekeeping(session);
}
request::KillHousekeepingReply answer(const Session& session,
                                      const request::KillHousekeepingRequest& request) {
  return kill_housekeeping(session, request);
}
request::ReloadReply answer(const Session& session, const request::ReloadRequest& request) {
  return reload_inventory(session, request.wanted);
}
request::ResourceUse answer(const Session& session, const request::ResourceUseRequest& /*request*/) {
  return resource_use(session);
}
request::Reserved answer(const Session& session, const request::ReserveRequest& request) {
  return reserve_nodes(session, request);
}
Nothing answer(const Session& session, const request::CancelReservationRequest& request) {
  cancel_reservation(session, request.number);
  return {};
}
request::ReservationsReply answer(const Session& session, const request::ReservationsRequest& /*request*/) {
  return {reservations(session)};
}
request::LoadReply answer(const Session& session, const request::LoadConfigRequest& request) {
  return load_config(session, document::ConfigSource(request.files), request.force, request.nodes,
                     request.replaces);
}
request::CheckConfigReply answer(const Session& session, const request::CheckConfigRequest& request) {
  CheckReply reply = check_config(document::ConfigSource(request.files), request.nodes, session);
  return {document::count_queues(reply.config), reply.config.default_queue, std::move(reply.vanished),
          std::move(reply.notes)};
}
request::ConfigReply answer(const Session& session, const request::ConfigRequest& /*request*/) {
  return {loaded_config(session)};
}
request::InstanceOverview answer(const Session& session, const request::InstanceRequest& request) {
  return instance_overview(session, request.queue);
}
request::SiteReport answer(const Session& session, const request::SiteRequest& request) {
  return request.days ? site_report(session, *request.days) : site_figures(session);
}

request::LogReply answer(const Session& session, const request::LogRequest& request) {
  return read_log(session, request);
}

// Accounts.

request::EditAccountsReply answer(const Session& session, const request::EditAccountsRequest& request) {
  return edit_accounts(session, request);
}
request::TransferCounts answer(const Session& session, const request::ImportAccountsRequest& request) {
  return import_accounts(session, request.tables);
}
request::AccountTree answer(const Session& session, const request::AccountsRequest& /*request*/) {
  return account_tree(session);
}
request::ProjectsReply answer(const Session& session, const request::ProjectsRequest& /*request*/) {
  return {projects(session)};
}
request::ReportReply answer(const Session& session, const request::ReportRequest& request) {
  return {usage_report(session, request)};
}

using Answer = void (*)(const Session&, const void* request, void* reply, const void* rows);

template <typename Request>
void answer_any(const Session& session, const void* request, void* reply, const void* rows) {
  const auto& asked = *static_cast<const Request*>(request);
  if constexpr (request::HasRows<Request>) {
    answer(session, asked, *static_cast<const typename Request::Stream*>(rows));
  } else {
    *static_cast<typename Request::Reply*>(reply) = answer(session, asked);
  }
}

constexpr auto kAnswers = []<std::size_t... kind>(std::index_sequence<kind...>) {
  return std::array<Answer, sizeof...(kind)>{&answer_any<request::RequestAt<kind>>...};
}
(std::make_index_sequence<request::kKinds>{});

}  // namespace

void serve(const Session& session, std::size_t kind, const void* request, void* reply, const void* rows) {
  with_names(session, [&](const Session& with) { kAnswers.at(kind)(with, request, reply, rows); });
}

}  // namespace fq::manager
