// A job as fq knows it: what its jobspec asks for, what its event log says has happened, what R gave it.
//
// Three sources fill a Job, each by its own function: `describe` (the jobspec, RFC 14/25), `apply` (the event
// log, RFC 18/21, in job/apply.h) and `assign` (R, RFC 20). A stored job record is exactly such a Job, so
// replaying a job's documents always rebuilds its record.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "job/state.h"
#include "notation/fluid.h"

namespace fq::job {

inline constexpr std::uint8_t kUrgencyHold = 0;
inline constexpr std::uint8_t kUrgencyDefault = 16;
inline constexpr std::uint8_t kUrgencyExpedite = 31;
/// Users other than the owner may ask for this much at the most.
inline constexpr std::uint8_t kUrgencyUserMax = 16;
inline constexpr std::uint32_t kPriorityMax = std::numeric_limits<std::uint32_t>::max();

// Bits of `flags` in the submit event (RFC 21).
inline constexpr std::uint32_t kFlagDebug = 1;
inline constexpr std::uint32_t kFlagWaitable = 2;
/// Set by set-flags alone: only the owner of the store may change what the job asks for.
inline constexpr std::uint32_t kFlagImmutable = 1U << 16;

/// The first of the most severe exceptions of a job; one of severity 0, before `finish`, decides its result.
struct Exception {
  bool occurred = false;
  std::uint8_t severity = 0;
  std::string type;
  std::string note;

  friend bool operator==(const Exception&, const Exception&) = default;
};

/// What becomes of a job whose resources are taken back for another one.
enum class Preemption : std::uint8_t { none = 0, requeue = 1, cancel = 2 };

/// Its word in events: `requeue` or `cancel`. REQUIRES another than none.
[[nodiscard]] std::string_view name(Preemption preemption);

struct Job {
  notation::JobId id;

  // From the jobspec, as updated by jobspec-update events.
  std::string name, cwd, queue, bank, project, qos;
  bool named = false;  ///< the name was given; else it is that of the program
  std::uint32_t ntasks = 0;
  document::ResourceCounts counts;
  std::string constraint;  ///< canonical RFC 31 text, empty: none
  double duration = 0;     ///< seconds; 0: no limit

  // From the event log.
  State state = State::fresh;
  std::uint32_t userid = 0;
  std::uint32_t flags = 0;
  std::uint8_t urgency = kUrgencyDefault;
  std::uint32_t priority = 0;
  std::uint64_t number = 0;               ///< its place among all jobs, where they are numbered; else 0
  std::vector<std::string> dependencies;  ///< descriptions not yet removed, in the order added
  std::string annotations;                ///< JSON object text of the alloc event without `user`, empty: none
  std::string memo;                       ///< JSON object text of memo events, empty: none
  Exception exception;
  bool allocated = false;        ///< alloc without free: R is held
  bool started = false;          ///< start without finish
  bool finished = false;         ///< finish was posted
  std::uint32_t prologs = 0;     ///< begun and not over: prolog-start without prolog-finish
  std::uint32_t epilogs = 0;     ///< the same of epilogs
  bool epilog_done = false;      ///< of its present allocation, as far as one was due
  bool prolog_failed = false;    ///< the status of a prolog-finish of the present allocation is not 0
  std::int32_t wait_status = 0;  ///< of the finish event; REQUIRES finished
  std::uint32_t attempt = 0;     ///< how often its shell was started; 0 before alloc
  std::string boot_id;           ///< the boot under which the last attempt started
  double t_submit = 0, t_depend = 0, t_priority = 0, t_sched = 0, t_run = 0, t_cleanup = 0, t_inactive = 0;
  double t_eligible =
      0;  ///< when its last dependency was released; 0 before, and where it had to wait for none

  // From R, once allocated.
  std::string ranks;     ///< idset
  std::string nodelist;  ///< hostlist
  std::uint32_t nnodes = 0;
  std::uint32_t ncores = 0;
  std::uint32_t ngpus = 0;
  double expiration = 0;  ///< seconds since the epoch; 0: none

  bool expiration_moved = false;  ///< a resource-update event has set `expiration` since

  // From the event log: what is, or was, taken back from the job for another one.
  Preemption preemption = Preemption::none;  ///< of the allocation that it has
  notation::JobId preempted_by;              ///< for whom its last allocation is, or was, taken back; else 0
  double t_preempt = 0;                      ///< when its time to end by itself is over
  bool requeues = false;                     ///< once it has ended it is pending anew
  double t_requeue = 0;                      ///< when that was decided last; 0: never

  friend bool operator==(const Job&, const Job&) = default;
};

/// Fills the jobspec part of `job`.
void describe(Job& job, const document::Jobspec& jobspec);
/// Fills the R part of `job`.
void assign(Job& job, const document::ResourceSet& r);

/// How the job ended; none while it is active (RFC 21: exception type decides, then the finish status).
[[nodiscard]] Result result(const Job& job);
/// The exit code that stands for the job: 0 completed, its exit code, 128 + signal, 1 for other failures.
/// REQUIRES an inactive job.
[[nodiscard]] int exit_code(const Job& job);
/// The state name, or the result's for an inactive job; both forms as `flux jobs` shows them.
[[nodiscard]] std::string_view status(const Job& job);
[[nodiscard]] std::string_view status_abbreviation(const Job& job);
/// Seconds from RUN to CLEANUP, or to `now` while it runs; 0 before.
[[nodiscard]] double runtime(const Job& job, double now);

}  // namespace fq::job
