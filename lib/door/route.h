// The route of each kind of request (request/table.h) through several stores: a function `route` that asks
// them and returns one reply. A kind without one does not compile (routes.cc).
//
// What changes something of jobs, each of which is accepted or refused on its own, goes to the store of each.
// Any other change is one store's, or refused: of two stores none can be sure of the other.

#pragma once

#include <concepts>

#include "door/stores.h"
#include "request/table.h"

namespace fq::door {

/// What is about one job: its store's.
template <typename Request>
requires requires(const Request& request) {
  { request.id } -> std::convertible_to<notation::JobId>;
}
[[nodiscard]] typename Request::Reply route(const Stores& stores, const Request& request) {
  return stores.ask(stores.of(request.id), request);
}

/// What the store itself has for all: its configuration and nodes, accounts, and what is reserved.
template <typename Request>
concept IsOfStoreItself = std::same_as<Request, request::LoadConfigRequest> ||
    std::same_as<Request, request::CheckConfigRequest> || std::same_as<Request, request::ConfigRequest> ||
    std::same_as<Request, request::AccountsRequest> || std::same_as<Request, request::ProjectsRequest> ||
    std::same_as<Request, request::CancelReservationRequest> ||
    std::same_as<Request, request::ReservationsRequest>;
template <IsOfStoreItself Request>
[[nodiscard]] typename Request::Reply route(const Stores& stores, const Request& request) {
  return stores.ask(0, request);
}

// Jobs: route_jobs.cc.
[[nodiscard]] request::JobIds route(const Stores& stores, const request::SubmitRequest& request);
[[nodiscard]] request::RaiseReply route(const Stores& stores, const request::RaiseRequest& request);
[[nodiscard]] request::KillReply route(const Stores& stores, const request::KillRequest& request);
[[nodiscard]] request::UrgencyRequest::Reply route(const Stores& stores,
                                                   const request::UrgencyRequest& request);
[[nodiscard]] request::UpdateRequest::Reply route(const Stores& stores,
                                                  const request::UpdateRequest& request);
[[nodiscard]] request::PurgeReply route(const Stores& stores, const request::PurgeRequest& request);
[[nodiscard]] request::WaitableReply route(const Stores& stores,
                                           const request::WaitForWaitableRequest& request);

// What readers ask of jobs: route_looks.cc, and route_list.cc.
void route(const Stores& stores, const request::JobListRequest& request, const request::JobListRows& rows);
[[nodiscard]] request::Nothing route(const Stores& stores, const request::RequireJobsRequest& request);
[[nodiscard]] request::JobIds route(const Stores& stores, const request::LastJobsRequest& request);
[[nodiscard]] request::JobIds route(const Stores& stores, const request::EnclosingRequest& request);
[[nodiscard]] request::InstancesReply route(const Stores& stores, const request::InstancesRequest& request);
[[nodiscard]] request::WatchReply route(const Stores& stores, const request::WatchRequest& request);
[[nodiscard]] request::Nothing route(const Stores& stores, const request::WaitForJobsRequest& request);
[[nodiscard]] request::PriorityReply route(const Stores& stores, const request::PriorityRequest& request);
[[nodiscard]] request::SupposeReply route(const Stores& stores, const request::SupposeRequest& request);

// The site: route_site.cc, and route_nodes.cc.
[[nodiscard]] request::QueueReply route(const Stores& stores, const request::QueueRequest& request);
[[nodiscard]] request::QueueStatusReply route(const Stores& stores,
                                              const request::QueueStatusRequest& request);
[[nodiscard]] request::QueueOverviewReply route(const Stores& stores,
                                                const request::QueueOverviewRequest& request);
[[nodiscard]] request::RestReply route(const Stores& stores, const request::WaitForRestRequest& request);
[[nodiscard]] request::QueuePrioritiesReply route(const Stores& stores,
                                                  const request::QueuePrioritiesRequest& request);
[[nodiscard]] request::PriorityUpdate route(const Stores& stores,
                                            const request::UpdatePrioritiesRequest& request);
[[nodiscard]] request::NodesReply route(const Stores& stores, const request::DrainRequest& request);
[[nodiscard]] request::NodesReply route(const Stores& stores, const request::UndrainRequest& request);
[[nodiscard]] request::HousekeepingReply route(const Stores& stores,
                                               const request::HousekeepingRequest& request);
[[nodiscard]] request::KillHousekeepingReply route(const Stores& stores,
                                                   const request::KillHousekeepingRequest& request);
[[nodiscard]] request::ResourceUse route(const Stores& stores, const request::ResourceUseRequest& request);
[[nodiscard]] request::ReloadReply route(const Stores& stores, const request::ReloadRequest& request);
[[nodiscard]] request::Reserved route(const Stores& stores, const request::ReserveRequest& request);
[[nodiscard]] request::InstanceOverview route(const Stores& stores, const request::InstanceRequest& request);
[[nodiscard]] request::SiteReport route(const Stores& stores, const request::SiteRequest& request);
[[nodiscard]] request::LogReply route(const Stores& stores, const request::LogRequest& request);
[[nodiscard]] request::EditAccountsReply route(const Stores& stores,
                                               const request::EditAccountsRequest& request);
[[nodiscard]] request::TransferCounts route(const Stores& stores,
                                            const request::ImportAccountsRequest& request);
[[nodiscard]] request::ReportReply route(const Stores& stores, const request::ReportRequest& request);

}  // namespace fq::door
