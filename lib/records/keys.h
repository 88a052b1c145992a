// The keys of the store, one function each. Grammar (be32, be64: big-endian; everything else literal text):
//
//   kvs       job.<dothex>.jobspec | .J | .R | .eventlog | .guest.<name> | .data.<service>     RFC 16
//             instance.eventlog
//   jobs      be64(id)
//   index     p class[16] be64(submit µs) be64(id)      pending (SCHED), by class, in submit order
//             s state[1] be64(µs) be64(id)              other states, by the time that state began
//             u be32(uid) be64(id)                      a user's jobs
//             d be64(id) be64(dependant)                jobs that wait for job id
//             t be64(µs) be64(id)                       jobs that wait for a time
//             e be64(µs) be64(id)                       what is allocated, by the end that is planned for it
//             n be32(uid) name[16] waits[1] be64(id)    active jobs that were given a name
//   instance  see each function
//
// schema/kvs.md says who writes each and why.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "job/state.h"
#include "notation/fluid.h"

namespace fq::records {

struct TallyKey;

using notation::JobId;

/// A class of pending jobs: the first 16 bytes of the BLAKE2b of what its members have in common.
using ClassId = std::array<char, 16>;

/// Seconds since the epoch as whole microseconds; 0 for times before it.
[[nodiscard]] std::uint64_t to_microseconds(double seconds);

namespace key {

// kvs
[[nodiscard]] std::string job_directory(JobId id);  ///< `job.<dothex>.`
[[nodiscard]] std::string jobspec(JobId id);
[[nodiscard]] std::string signed_request(JobId id);  ///< records/signed_request.h
[[nodiscard]] std::string r(JobId id);
[[nodiscard]] std::string eventlog(JobId id);
[[nodiscard]] std::string guest(JobId id, std::string_view name);
[[nodiscard]] std::string data(JobId id, std::string_view service);
inline constexpr std::string_view kFilesService = "fq.files";  ///< what fq keeps outside the database
inline constexpr std::string_view kInstanceEventlog = "instance.eventlog";

// jobs
[[nodiscard]] std::string job(JobId id);
/// REQUIRES a key of the jobs family.
[[nodiscard]] JobId job_of(std::string_view key);

// index
[[nodiscard]] std::string pending_prefix(const ClassId& id);
[[nodiscard]] std::string pending(const ClassId& id, double t_submit, JobId job);
[[nodiscard]] std::string state_prefix(job::State state);
[[nodiscard]] std::string state(job::State state, double time, JobId job);
[[nodiscard]] std::string user_prefix(std::uint32_t userid);
[[nodiscard]] std::string user(std::uint32_t userid, JobId job);
[[nodiscard]] std::string dependant_prefix(JobId id);
[[nodiscard]] std::string dependant(JobId id, JobId dependant);
inline constexpr std::string_view kTimerPrefix = "t";
[[nodiscard]] std::string timer(double time, JobId job);
/// The first timer key that lies after `time`.
[[nodiscard]] std::string timer_end(double time);

inline constexpr std::string_view kAllocationEndPrefix = "e";
[[nodiscard]] std::string allocation_end(double time, JobId job);

/// The key has the first 16 bytes of the BLAKE2b of the name. `waits`: until no other job has the name.
[[nodiscard]] std::string named_prefix(std::uint32_t userid, std::string_view name, bool waits);
[[nodiscard]] std::string named(std::uint32_t userid, std::string_view name, bool waits, JobId job);

/// The job at the end of an index key.
[[nodiscard]] JobId indexed_job(std::string_view key);
/// The microseconds before it. REQUIRES a `p`, `s`, `t` or `e` key, or one of waitable.
[[nodiscard]] std::uint64_t indexed_time(std::string_view key);

// instance
inline constexpr std::string_view kFormat = "format";           ///< the format version: records/instance.cc
inline constexpr std::string_view kStoreInfo = "store";         ///< JSON: records::StoreInfo
inline constexpr std::string_view kPlace = "place";             ///< manager/engine/store_check.h: place_of
inline constexpr std::string_view kClock = "clock";             ///< records/store_time.h
inline constexpr std::string_view kSequence = "sequence";       ///< last job id and last time
inline constexpr std::string_view kPassDue = "pass.due";        ///< there while a pass is (empty)
inline constexpr std::string_view kInventory = "resource.R";    ///< RFC 20
inline constexpr std::string_view kWanted = "resource.wanted";  ///< RFC 20: manager/core/inventory.h
inline constexpr std::string_view kExcluded = "resource.excluded";  ///< RFC 20: manager/core/inventory.h
inline constexpr std::string_view kClassPrefix = "class/";          ///< + ClassId: ClassRecord
inline constexpr std::string_view kCountPrefix = "count/";          ///< + be32(uid) status queue: decimal
inline constexpr std::string_view kBytesPrefix = "bytes/";          ///< + be32(uid): decimal
inline constexpr std::string_view kPoolPrefix = "pool/";            ///< + be32(chunk): what is allocated
inline constexpr std::string_view kReservationPrefix =
    "reservation/";  ///< + be64(place): JSON: manager/pass/stored_reservations.h
inline constexpr std::string_view kReservationsRanked =
    "reservations";                                  ///< manager/pass/stored_reservations.h: decimal µs
inline constexpr std::string_view kTurns = "turns";  ///< records/turns.h
inline constexpr std::string_view kSchedulerRetry =
    "scheduler.retry";  ///< JSON: manager/pass/scheduler_retry.h
inline constexpr std::string_view kConsultation =
    "scheduler.consult";  ///< JSON: manager/pass/consultation_due.h
inline constexpr std::string_view kPeriodTimer =
    "priority.period";                                          ///< manager/pass/period_timer.h: decimal µs
inline constexpr std::string_view kQueuePrefix = "queue/";      ///< + name: JSON, document::QueueState
inline constexpr std::string_view kConfig = "config";           ///< the configuration as loaded: JSON
inline constexpr std::string_view kExecConfig = "config.exec";  ///< JSON: document::ExecConfig
inline constexpr std::string_view kRetention = "config.jobs";   ///< JSON: document::RetentionConfig
inline constexpr std::string_view kAccess = "config.access";    ///< JSON: document::AccessConfig
inline constexpr std::string_view kLogConfig = "config.log";    ///< JSON: document::LogConfig
inline constexpr std::string_view kLogBytes = "log.bytes";      ///< of instance.eventlog: decimal
inline constexpr std::string_view kQos = "config.qos";          ///< JSON: document::QosConfig
inline constexpr std::string_view kAccounting = "config.accounting";  ///< JSON: priority::Accounting
inline constexpr std::string_view kEligibleAge =
    "config.eligible-age";                                            ///< names of queues: records/job_age.h
inline constexpr std::string_view kDefaultQueue = "config.default";   ///< name of the default queue
inline constexpr std::string_view kInstances = "config.instances";    ///< JSON: records/instances.h
inline constexpr std::string_view kScheduling = "config.scheduling";  ///< records/queues.cc
/// + name: JSON, document::QueueConfig
inline constexpr std::string_view kQueueConfigPrefix = "config.queue/";
inline constexpr std::string_view kDrainPrefix = "drain/";            ///< + be32(rank): records/drains.h
inline constexpr std::string_view kReservePrefix = "reserve/";        ///< + be64(number)
inline constexpr std::string_view kReserveLast = "reserve.last";      ///< records/advance_reservations.h
inline constexpr std::string_view kAnnotationPrefix = "annotation/";  ///< + be64(id): JSON, while pending
inline constexpr std::string_view kMemoPrefix = "memo/";              ///< + be64(id): JSON, while active
inline constexpr std::string_view kPurgedPrefix = "purged/";          ///< + be64(id): records/purged.h
inline constexpr std::string_view kPurgedCount = "purged";            ///< records/purged.h
inline constexpr std::string_view kNoticePrefix = "untold/";  ///< + be64(id): records/dependant_notice.h
inline constexpr std::string_view kLeftoversPrefix = "leftovers/";        ///< + be64(id): records/leftovers.h
inline constexpr std::string_view kHousekeepingPrefix = "housekeeping/";  ///< + be64(id): Housekeeping
inline constexpr std::string_view kWaitablePrefix = "waitable/";          ///< see waitable_prefix
inline constexpr std::string_view kBankPrefix = "account/bank/";          ///< + name: BankRecord
inline constexpr std::string_view kAssociationPrefix =
    "account/user/";                                                  ///< + be32(uid) bank: AssociationRecord
inline constexpr std::string_view kUserNamePrefix = "account/name/";  ///< + name: decimal uid
inline constexpr std::string_view kProjectPrefix = "account/project/";  ///< + name, empty
inline constexpr std::string_view kChargePrefix = "account/charge/";    ///< + be64(id): records/charges.h
inline constexpr std::string_view kTallyPrefix = "account/hour/";       ///< see records/tallies.h
inline constexpr std::string_view kActivePrefix = "account/active/";    ///< see active_jobs
inline constexpr std::string_view kUsePrefix = "account/use/";          ///< records/limited_uses.h
[[nodiscard]] std::string job_class(const ClassId& id);
[[nodiscard]] std::string count(std::uint32_t userid, std::string_view status, std::string_view queue);
[[nodiscard]] std::string stored_bytes(std::uint32_t userid);
/// REQUIRES a key of `bytes/`; 0 of a damaged one.
[[nodiscard]] std::uint32_t stored_bytes_user(std::string_view key);
[[nodiscard]] std::string pool(std::uint32_t chunk);
[[nodiscard]] std::string queue(std::string_view name);
[[nodiscard]] std::string queue_config(std::string_view name);
[[nodiscard]] std::string drain(std::uint32_t rank);
/// REQUIRES a key of `drain/`.
[[nodiscard]] std::uint32_t drained_rank(std::string_view key);
[[nodiscard]] std::string reserve(std::uint64_t number);
[[nodiscard]] std::string reservation(std::uint64_t place);
/// REQUIRES a key of that form.
[[nodiscard]] std::uint64_t reservation_place(std::string_view key);
/// REQUIRES a key of `reserve/`.
[[nodiscard]] std::uint64_t reserved_number(std::string_view key);
[[nodiscard]] std::string annotation(JobId id);
/// The part of a job's memo that is not in its event log.
[[nodiscard]] std::string memo(JobId id);
[[nodiscard]] std::string purged(JobId id);
[[nodiscard]] std::string dependant_notice(JobId id);
[[nodiscard]] std::string leftovers(JobId id);
[[nodiscard]] std::string housekeeping(JobId id);

[[nodiscard]] std::string bank(std::string_view name);
/// The associations of one user.
[[nodiscard]] std::string associations(std::uint32_t userid);
[[nodiscard]] std::string association(std::uint32_t userid, std::string_view bank);
/// REQUIRES a key of `account/user/`.
[[nodiscard]] std::uint32_t associated_user(std::string_view key);
[[nodiscard]] std::string user_name(std::string_view user);
[[nodiscard]] std::string project(std::string_view name);
[[nodiscard]] std::string charge(JobId id);
/// The first key of an hour.
[[nodiscard]] std::string tallies(std::uint32_t hour);
[[nodiscard]] std::string tally(const TallyKey& of);
/// REQUIRES a key of `account/hour/`. Throws Error{unavailable} for a damaged one.
[[nodiscard]] TallyKey tally_of(std::string_view key);
/// Jobs that have not ended: + bank, a zero byte, be32(uid), qos, a zero byte, queue: decimal. The first two
/// are what such keys begin with.
[[nodiscard]] std::string active_jobs(std::string_view bank);
[[nodiscard]] std::string active_jobs(std::string_view bank, std::uint32_t userid);
[[nodiscard]] std::string active_jobs(std::string_view bank, std::uint32_t userid, std::string_view qos,
                                      std::string_view queue);
struct ActiveKind {
  std::string_view bank, qos, queue;
};
/// REQUIRES a key of `account/active/`; of a damaged one all is empty.
[[nodiscard]] ActiveKind active_kind(std::string_view key);
inline constexpr char kUseOfQos = 'q', kUseInQos = 'a', kUseInQueue = 'u';
[[nodiscard]] std::string use_of_qos(std::string_view qos);
[[nodiscard]] std::string use_in_qos(std::string_view qos, std::uint32_t userid, std::string_view bank);
[[nodiscard]] std::string use_in_queue(std::string_view queue, std::uint32_t userid, std::string_view bank);

/// Waitable jobs whose result nobody has taken: `waitable/` be32(uid) phase[1] be64(µs) be64(id), empty.
/// Phase 0 is active, by the time of submission; 1 has ended, by that time.
enum class WaitPhase : char { active = '0', ended = '1' };
[[nodiscard]] std::string waitable_prefix(std::uint32_t userid, WaitPhase phase);
/// The key of a waitable job in its present state.
[[nodiscard]] std::string waitable(std::uint32_t userid, WaitPhase phase, double time, JobId job);

}  // namespace key
}  // namespace fq::records
