// The members of every value that stands in a request or a reply, by their names: what goes through a codec.
//
// FQ_FIELDS takes all members of an aggregate in their order; one that is left out does not compile, so that
// nothing of a request is lost on its way because somebody forgot it here.

#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "request/table.h"

#define FQ_FIELDS(type, ...)                                       \
  template <typename Value>                                        \
  requires std::is_same_v<std::remove_const_t<Value>, type>        \
  constexpr auto fields_of(Value& of_all) {                        \
    auto& [__VA_ARGS__] = of_all;                                  \
    return std::tie(__VA_ARGS__);                                  \
  }                                                                \
  constexpr std::string_view field_names(const type* /*unused*/) { \
    return #__VA_ARGS__;                                           \
  }                                                                \
  constexpr std::string_view type_name(const type* /*unused*/) {   \
    return #type;                                                  \
  }
#define FQ_NO_FIELDS(type)                                         \
  template <typename Value>                                        \
  requires std::is_same_v<std::remove_const_t<Value>, type>        \
  constexpr auto fields_of(Value& /*value*/) {                     \
    static_assert(std::is_empty_v<type>);                          \
    return std::tuple<>{};                                         \
  }                                                                \
  constexpr std::string_view field_names(const type* /*unused*/) { \
    return "";                                                     \
  }                                                                \
  constexpr std::string_view type_name(const type* /*unused*/) {   \
    return #type;                                                  \
  }
#define FQ_VALUES(type, count) \
  template <>                  \
  inline constexpr int kValuesOf<type> = count;

namespace fq::request {

// How many values an enumeration has: they count from 0.
template <typename Enum>
inline constexpr int kValuesOf = -1;
FQ_VALUES(job::State, job::kStateCount)
FQ_VALUES(job::Result, 5)
FQ_VALUES(job::Preemption, 3)
FQ_VALUES(KnownHosts, 3)
FQ_VALUES(JobspecForm, 3)
FQ_VALUES(FollowRequest::Eventlog, 3)
FQ_VALUES(Reason::Kind, 11)
FQ_VALUES(QueueRequest::Verb, 4)
FQ_VALUES(QueueRest, 2)
FQ_VALUES(DrainRequest::Drained, 4)
FQ_VALUES(InUse, 2)
FQ_VALUES(ReportBy, 10)
FQ_VALUES(priority::Scheme, 3)
FQ_VALUES(priority::AgeFrom, 2)
FQ_VALUES(priority::Favor, 2)
FQ_VALUES(priority::FairShareAlgorithm, 2)

// Values of other layers.
FQ_FIELDS(job::Exception, occurred, severity, type, note)
FQ_FIELDS(document::ResourceCounts, nnodes, nslots, slots_per_node, cores_per_slot, gpus_per_slot, exclusive)
FQ_FIELDS(job::Job, id, name, cwd, queue, bank, project, qos, named, ntasks, counts, constraint, duration,
          state, userid, flags, urgency, priority, number, dependencies, annotations, memo, exception,
          allocated, started, finished, prologs, epilogs, epilog_done, prolog_failed, wait_status, attempt,
          boot_id, t_submit, t_depend, t_priority, t_sched, t_run, t_cleanup, t_inactive, t_eligible, ranks,
          nodelist, nnodes, ncores, ngpus, expiration, expiration_moved, preemption, preempted_by, t_preempt,
          requeues, t_requeue)
FQ_FIELDS(document::SizeLimits, nnodes, ncores, ngpus)
FQ_FIELDS(document::PerilogConfig, command, timeout_s, kill_timeout_s, requeues, drains)
FQ_FIELDS(document::QueuePolicy, default_duration_s, max_duration_s, max, min, allow_user, allow_group,
          scheduler, priority, per_association, prolog, epilog, housekeeping)
FQ_FIELDS(document::QueueState, enabled, started, disable_reason, stop_reason, suspended)
FQ_FIELDS(document::Drain, reason, time, userid)
FQ_FIELDS(document::AdvanceReservation, number, ranks, start, end, users, groups, queues, userids, flex,
          reason, userid)
FQ_FIELDS(document::ConfigSource::File, name, text)
FQ_FIELDS(priority::Factors, wait_time, fair_share, qos, queue, job_size, user)
FQ_FIELDS(priority::Parameters, scheme, weights, max_wait_s, age_from, favor, queue_factor, period_s)
FQ_FIELDS(priority::Explanation, scheme, weights, factors, points, priority)
FQ_FIELDS(priority::AccountLimits, running_jobs, active_jobs, nodes, cores, gpus, core_hours)
FQ_FIELDS(priority::Accounting, half_life_s, fair_share, weights, default_bank, time_zone, refuse_over_budget)

// Jobs.
FQ_NO_FIELDS(Nothing)
FQ_FIELDS(JobspecTemplate, pieces)
FQ_FIELDS(NumberedText, pieces)
FQ_FIELDS(JobGroup, jobspec, rows, copies, urgency, flags, J)
FQ_FIELDS(SubmitRequest, groups)
FQ_FIELDS(JobIds, ids)
FQ_FIELDS(JobFilter, userid, queues, default_queue, states, results, name, hosts, ranks, since, limit)
FQ_FIELDS(Refusal, id, why)
FQ_FIELDS(RaiseRequest, ids, found, selection, type, severity, note, dry_run)
FQ_FIELDS(RaiseReply, count, done, refusals)
FQ_FIELDS(KillRequest, ids, selection, signal, dry_run, ranks)
FQ_FIELDS(KillReply, signaled, refusals)
FQ_FIELDS(UrgencyRequest, ids, urgency)
FQ_FIELDS(UrgencyChange, id, before)
FQ_FIELDS(BulkReply<UrgencyChange>, done, refusals)
FQ_FIELDS(UpdateRequest, ids, updates, duration_change_s, urgency, dry_run)
FQ_FIELDS(UpdatedJob, id, updates)
FQ_FIELDS(BulkReply<UpdatedJob>, done, refusals)
FQ_FIELDS(MemoRequest, id, memo, keeps_no_event)
FQ_FIELDS(ServiceDataRequest, id, service, bytes)
FQ_FIELDS(PurgeRequest, ids, age_limit_s, num_limit, configured, dry_run, archive, batch)
FQ_FIELDS(PurgeReply, purged, remaining, refusals)
FQ_FIELDS(TakeResultRequest, id)
FQ_FIELDS(WaitForWaitableRequest, most, timeout_s, but)
FQ_FIELDS(WaitableReply, jobs)

// What readers ask of jobs.
FQ_FIELDS(JobListRequest, filter, ids, since, known_hosts, counts, left_out, instances)
FQ_FIELDS(JobListHead, now, ahead_of_boot, missing, counts, purged, elsewhere, ended)
FQ_FIELDS(ListedJob, job, t_estimate, reason_pending, behind, instance)
FQ_FIELDS(FindJobRequest, id)
FQ_FIELDS(RequireJobsRequest, ids)
FQ_FIELDS(LastJobsRequest, userid, count)
FQ_FIELDS(TimeLeftRequest, id)
FQ_FIELDS(TimeLeftReply, seconds)
FQ_FIELDS(EnclosingRequest, marks, queue)
FQ_FIELDS(TasksRequest, id)
FQ_FIELDS(RunningTask, rank, pid)
FQ_FIELDS(TasksReply, tasks)
FQ_FIELDS(InstancesRequest, ids)
FQ_FIELDS(InstancesReply, stores)
FQ_FIELDS(WhyRequest, id)
FQ_FIELDS(Reason, kind, text)
FQ_FIELDS(WhyReply, reasons)
FQ_FIELDS(FollowedLog, name, open_run)
FQ_FIELDS(FollowRequest, id, eventlog, logs, jobspec, count_reasons)
FQ_FIELDS(FollowReply, job, eventlog, logs, jobspec, reasons)
FQ_FIELDS(WatchedJob, id, is_over, eventlog, exec, output)
FQ_FIELDS(WatchRequest, jobs, ended_since, all)
FQ_FIELDS(StoredLog, value, is_file)
FQ_FIELDS(WatchNews, index, job, eventlog, exec, output)
FQ_FIELDS(WatchReply, t_submit, news)
FQ_FIELDS(WaitForJobRequest, id, timeout_s)
FQ_FIELDS(JobReply, job)
FQ_FIELDS(WaitForJobsRequest, ids)
FQ_FIELDS(DocumentRequest, id, key, form, repaired, may_be_missing)
FQ_FIELDS(DocumentReply, bytes)
FQ_FIELDS(DocumentKeysRequest, id)
FQ_FIELDS(DocumentKeysReply, keys)
FQ_FIELDS(PriorityRequest, ids, queues, most)
FQ_FIELDS(PriorityRow, job, explanation, place)
FQ_FIELDS(PriorityReply, rows)
FQ_FIELDS(SupposeRequest, config, nodes, weights)
FQ_FIELDS(SupposedRow, now, then)
FQ_FIELDS(SupposeReply, rows)

// The site.
FQ_FIELDS(QueueRequest, verb, queue, reason, all)
FQ_FIELDS(QueueStatus::NextTry, time, in_s)
FQ_FIELDS(QueueStatus, queue, state, parent, blocked, next_try, asked_for_s)
FQ_FIELDS(QueueReply, queues)
FQ_FIELDS(QueueStatusRequest, queue)
FQ_FIELDS(QueueStatusReply, queues, waiting, running)
FQ_FIELDS(QueueOverviewRequest, wanted)
FQ_FIELDS(QueueOverview::Resources, nodes, cores, gpus)
FQ_FIELDS(QueueOverview::Range, least, most)
FQ_FIELDS(QueueOverview, status, is_default, policy, resources, nnodes, ncores, ngpus)
FQ_FIELDS(QueueOverviewReply, queues)
FQ_FIELDS(WaitForRestRequest, queue, rest, timeout_s)
FQ_FIELDS(RestReply, rests)
FQ_FIELDS(QueuePrioritiesRequest, queue)
FQ_FIELDS(QueuePriority, queue, parameters)
FQ_FIELDS(QueuePrioritiesReply, queues)
FQ_NO_FIELDS(UpdatePrioritiesRequest)
FQ_FIELDS(PriorityUpdate, was_due, waiting, running)
FQ_FIELDS(DrainRequest, targets, reason, drained)
FQ_FIELDS(UndrainRequest, targets, force, reason)
FQ_FIELDS(NodesReply, ranks)
FQ_FIELDS(RunningHousekeeping, job, userid, t_start, ranks, nodelist, command, attempt)
FQ_FIELDS(HousekeepingReply, running)
FQ_NO_FIELDS(HousekeepingRequest)
FQ_FIELDS(KillHousekeepingRequest, jobs, targets, all, signal)
FQ_FIELDS(KillHousekeepingReply, signaled)
FQ_FIELDS(LoggedEvent, timestamp, name, context)
FQ_FIELDS(LogReply, events)
FQ_FIELDS(LogRequest, since, most)
FQ_FIELDS(ReloadRequest, wanted)
FQ_FIELDS(ReloadReply, inventory, leaving)
FQ_NO_FIELDS(ResourceUseRequest)
FQ_FIELDS(QueueNodes, name, ranks, is_virtual)
FQ_FIELDS(ResourceUse, inventory, allocated, drains, excluded, leaving, queues)
FQ_FIELDS(ReserveRequest, nodes, start, duration, users, groups, queues, flex, reason)
FQ_FIELDS(Reserved, reservation, nodelist, in_use_by)
FQ_FIELDS(CancelReservationRequest, number)
FQ_NO_FIELDS(ReservationsRequest)
FQ_FIELDS(ReservationsReply, reservations)
FQ_FIELDS(LoadConfigRequest, files, force, nodes, replaces)
FQ_FIELDS(VanishedQueue, name, pending, running)
FQ_FIELDS(LoadReply, vanished, leaving, notes)
FQ_FIELDS(CheckConfigRequest, files, nodes)
FQ_FIELDS(CheckConfigReply, queues, default_queue, vanished, notes)
FQ_NO_FIELDS(ConfigRequest)
FQ_FIELDS(ConfigReply, document)
FQ_FIELDS(InstanceRequest, queue)
FQ_FIELDS(InstanceOverview, now, since, owner, depth, nodes, drained_nodes, cores, allocated_cores, gpus,
          allocated_gpus, allocated_nodes, takes_jobs, starts_jobs, pending, running, completed, failed)
FQ_FIELDS(SiteRequest, days)
FQ_FIELDS(SiteReport::Day, date, span_h, core_hours)
FQ_FIELDS(SiteReport::Waits, queue, size, jobs, mean, median, p95)
FQ_FIELDS(SiteReport, now, from, nodes, cores, gpus, allocated_cores, allocated_gpus, drained_nodes, jobs,
          queues, days, waits, accounts)

// Accounts.
FQ_FIELDS(BankEdit, name, parent, shares, closed, limits)
FQ_FIELDS(UserEdit, user, bank, userid, shares, queues, qos, projects, default_project, make_default,
          default_bank, limits, core_seconds, decayed, closed)
FQ_FIELDS(ManualCharge, user, bank, amounts, at)
FQ_FIELDS(AddBank, bank)
FQ_FIELDS(EditBank, bank)
FQ_FIELDS(DeleteBank, name, in_use)
FQ_FIELDS(AddUser, user)
FQ_FIELDS(EditUser, user)
FQ_FIELDS(DeleteUser, user, bank, in_use)
FQ_FIELDS(AddProject, name, description)
FQ_FIELDS(EditProject, name, description)
FQ_FIELDS(DeleteProject, name, in_use)
FQ_FIELDS(Charge, charge, reason)
FQ_FIELDS(ClearUsage, banks)
FQ_FIELDS(EditAccountsRequest, edit)
FQ_FIELDS(EditAccountsReply, known, unknown)
FQ_FIELDS(PlacedBank, place, edit)
FQ_FIELDS(PlacedUser, place, edit)
FQ_FIELDS(AccountTables, banks, users)
FQ_FIELDS(ImportAccountsRequest, tables)
FQ_FIELDS(TransferCounts, banks_added, banks_changed, users_added, users_changed, unknown)
FQ_NO_FIELDS(AccountsRequest)
FQ_FIELDS(AccountNode, is_user, name, parent, shares, closed, running, limits, userid, is_default, queues,
          qos, projects, default_project, decayed, total, month_core_seconds, usage, allotted,
          effective_usage, fair_share, rank, active_jobs, children)
FQ_FIELDS(AccountTree, exists, accounting, root)
FQ_NO_FIELDS(ProjectsRequest)
FQ_FIELDS(Project, name, description, jobs, seconds, users)
FQ_FIELDS(ProjectsReply, projects)
FQ_FIELDS(ReportRequest, by, from, to, user, bank)
FQ_FIELDS(ReportRow, key, jobs, seconds)
FQ_FIELDS(ReportReply, rows)

template <typename Value>
concept HasFields = requires(Value& value) {
  fields_of(value);
};

}  // namespace fq::request
