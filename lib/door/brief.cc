#include "door/brief.h"

#include <array>
#include <type_traits>
#include <utility>

#include "request/table.h"

namespace fq::door {
namespace {

constexpr std::size_t kMostJobs = 128;

bool brief(const request::SubmitRequest& request) {
  std::size_t jobs = 0;
  for (const request::JobGroup& group : request.groups) {
    group.require_form();
    // One that would be too large for a number is no smaller than its parts.
    if (group.rows.size() > kMostJobs || group.copies.count() > kMostJobs) return false;
    jobs += group.size();
  }
  return jobs <= kMostJobs;
}
bool brief(const request::RaiseRequest& request) {
  return !request.selection && request.ids.size() + request.found.size() <= kMostJobs;
}
bool brief(const request::UrgencyRequest& request) {
  return request.ids.size() <= kMostJobs;
}
bool brief(const request::RequireJobsRequest& request) {
  return request.ids.size() <= kMostJobs;
}
template <typename Request, typename... Requests>
concept OneOf = (std::is_same_v<Request, Requests> || ...);

template <
    OneOf<request::MemoRequest, request::JobListRequest, request::FindJobRequest, request::LastJobsRequest,
          request::TimeLeftRequest, request::QueueStatusRequest, request::QueueOverviewRequest>
        Request>
bool brief(const Request& /*request*/) {
  return true;
}

using IsBrief = bool (*)(const void* request);

template <typename Request>
constexpr IsBrief brief_or_none() {
  if constexpr (requires(const Request& request) { brief(request); }) {
    return [](const void* request) { return brief(*static_cast<const Request*>(request)); };
  } else {
    return nullptr;
  }
}

constexpr auto kBrief = []<std::size_t... kind>(std::index_sequence<kind...>) {
  return std::array<IsBrief, sizeof...(kind)>{brief_or_none<request::RequestAt<kind>>()...};
}
(std::make_index_sequence<request::kKinds>{});

}  // namespace

bool may_be_brief(std::size_t kind) {
  return kBrief.at(kind) != nullptr;
}

bool is_brief(std::size_t kind, const void* request) {
  return kBrief.at(kind)(request);
}

}  // namespace fq::door
