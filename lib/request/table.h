// The table of all requests: what each is called, whether it reads or writes, and who may ask it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "request/accounts.h"
#include "request/alter.h"
#include "request/configuration.h"
#include "request/document.h"
#include "request/end.h"
#include "request/find_job.h"
#include "request/follow.h"
#include "request/housekeeping.h"
#include "request/job_list.h"
#include "request/log.h"
#include "request/nodes.h"
#include "request/place.h"
#include "request/priority.h"
#include "request/purge.h"
#include "request/queue.h"
#include "request/reservation.h"
#include "request/site.h"
#include "request/submit.h"
#include "request/usage_report.h"
#include "request/wait.h"
#include "request/watch.h"
#include "request/why.h"

namespace fq::request {

/// What a request does to the store. One that reads may have jobs repaired whose shell was killed.
enum class Access : std::uint8_t { read, write };

/// Who may ask it: anybody, about whatever there is or about jobs of their own; of each job the user whose it
/// is, the owner of the store and its operators; these alone.
enum class Who : std::uint8_t { anybody, user_of_job, operators };

template <typename RequestType>
struct Entry {
  using Request = RequestType;
  std::string_view name;
  Access access = Access::read;
  Who who = Who::anybody;
};

inline constexpr std::tuple kTable{
    // Jobs.
    Entry<SubmitRequest>{"submit", Access::write, Who::anybody},
    Entry<RaiseRequest>{"raise", Access::write, Who::user_of_job},
    Entry<KillRequest>{"kill", Access::read, Who::user_of_job},
    Entry<UrgencyRequest>{"urgency", Access::write, Who::user_of_job},
    Entry<UpdateRequest>{"update", Access::write, Who::user_of_job},
    Entry<MemoRequest>{"memo", Access::write, Who::user_of_job},
    Entry<ServiceDataRequest>{"service-data", Access::write, Who::operators},
    Entry<PurgeRequest>{"purge", Access::write, Who::operators},
    Entry<TakeResultRequest>{"take-result", Access::write, Who::anybody},
    Entry<WaitForWaitableRequest>{"wait-waitable", Access::write, Who::anybody},
    // What readers ask of jobs.
    Entry<JobListRequest>{"list-jobs"},
    Entry<FindJobRequest>{"find-job"},
    Entry<RequireJobsRequest>{"require-jobs"},
    Entry<LastJobsRequest>{"last-jobs"},
    Entry<TimeLeftRequest>{"time-left"},
    Entry<EnclosingRequest>{"enclosing-jobs"},
    Entry<TasksRequest>{"tasks", Access::read, Who::user_of_job},
    Entry<InstancesRequest>{"instances"},
    Entry<WhyRequest>{"why"},
    Entry<FollowRequest>{"follow", Access::read, Who::user_of_job},
    Entry<WatchRequest>{"watch", Access::read, Who::user_of_job},
    Entry<WaitForJobRequest>{"wait-job"},
    Entry<WaitForJobsRequest>{"wait-jobs"},
    Entry<DocumentRequest>{"document", Access::read, Who::user_of_job},
    Entry<DocumentKeysRequest>{"document-keys", Access::read, Who::user_of_job},
    Entry<PriorityRequest>{"priorities"},
    Entry<SupposeRequest>{"suppose-priorities"},
    // The site.
    Entry<QueueRequest>{"queue", Access::write, Who::operators},
    Entry<QueueStatusRequest>{"queue-status"},
    Entry<QueueOverviewRequest>{"queues"},
    Entry<WaitForRestRequest>{"wait-queue"},
    Entry<QueuePrioritiesRequest>{"queue-priorities"},
    Entry<UpdatePrioritiesRequest>{"update-priorities", Access::write, Who::anybody},
    Entry<DrainRequest>{"drain", Access::write, Who::operators},
    Entry<UndrainRequest>{"undrain", Access::write, Who::operators},
    Entry<HousekeepingRequest>{"housekeeping"},
    Entry<KillHousekeepingRequest>{"kill-housekeeping", Access::write, Who::operators},
    Entry<ReloadRequest>{"reload", Access::write, Who::operators},
    Entry<ResourceUseRequest>{"resources"},
    Entry<ReserveRequest>{"reserve", Access::write, Who::operators},
    Entry<CancelReservationRequest>{"cancel-reservation", Access::write, Who::operators},
    Entry<ReservationsRequest>{"reservations"},
    Entry<LoadConfigRequest>{"load-config", Access::write, Who::operators},
    Entry<CheckConfigRequest>{"check-config"},
    Entry<ConfigRequest>{"config"},
    Entry<InstanceRequest>{"instance"},
    Entry<SiteRequest>{"site"},
    Entry<LogRequest>{"log", Access::read, Who::operators},
    // Accounts.
    Entry<EditAccountsRequest>{"edit-accounts", Access::write, Who::operators},
    Entry<ImportAccountsRequest>{"import-accounts", Access::write, Who::operators},
    Entry<AccountsRequest>{"accounts"},
    Entry<ProjectsRequest>{"projects"},
    Entry<ReportRequest>{"usage-report"},
};

inline constexpr std::size_t kKinds = std::tuple_size_v<decltype(kTable)>;

/// The request at a place of the table.
template <std::size_t kind>
using RequestAt = typename std::tuple_element_t<kind, decltype(kTable)>::Request;

/// The place of a request in the table.
template <typename Request>
inline constexpr std::size_t kKindOf = []<std::size_t... kind>(std::index_sequence<kind...>) {
  std::size_t found = kKinds;
  ((std::is_same_v<Request, RequestAt<kind>> ? static_cast<void>(found = kind) : static_cast<void>(0)), ...);
  return found;
}
(std::make_index_sequence<kKinds>{});

/// Whether its reply comes in rows.
template <typename Request>
concept HasRows = requires {
  typename Request::Stream;
};

}  // namespace fq::request
