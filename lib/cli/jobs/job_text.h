// What listings say about a job in words: who it belongs to, what it waits for, how it ended.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "job/job.h"

namespace fq::cli {

/// A job as a listing shows it. `job` must outlive the row.
struct JobRow {
  const job::Job* job = nullptr;
  double now = 0;                                  ///< seconds since the epoch
  std::optional<double> t_estimate = {};           ///< when a pending job may start, seconds since the epoch
  std::optional<std::string> reason_pending = {};  ///< why it has not started
  std::optional<notation::JobId> behind = {};      ///< else the head of its queue, which waits
  std::string uri = {};          ///< the store of the instance inside it; empty: none, or not asked for
  std::string_view inside = {};  ///< members that its JSON object has besides; outlives the row
};

/// The name of a user, or the number where it has none. Looked up once a process and user; the reference
/// stays valid. Not for several threads.
[[nodiscard]] const std::string& user_name(std::uint32_t userid);

/// Appends the dependencies that are left: `after-success=ƒ2GMuTnf,begin@11:45:31`, times in local time, with
/// the date (`begin@Nov22-08:00`) where that is not the date of `now`, and the year
/// (`begin@2027-Jan05-08:00`).
void append_dependencies(std::string& out, const job::Job& job, double now);
/// Appends how an inactive job ended: `Exit 3`, `Timeout`, `Canceled: NOTE`, `Terminated`; nothing while it
/// is active.
void append_inactive_reason(std::string& out, const job::Job& job);
/// Appends what the default listing says of the job: `depends:…`, `priority-wait`, `held`, `eta:9.899m`, its
/// node list.
void append_contextual_info(std::string& out, const JobRow& row);

/// The exit code, a negative signal number, -128 where it was canceled before it ran, 1 where it failed so;
/// nothing while it has not ended.
[[nodiscard]] std::optional<int> return_code(const job::Job& job);

/// False for a job that was never given a priority.
[[nodiscard]] bool has_priority(const job::Job& job);

/// Numbers that are not known are 0: nodes of a job that asked for none and has none yet, and cores and GPUs
/// of one that waits for whole nodes.
struct JobSize {
  std::uint64_t nnodes = 0, ncores = 0, ngpus = 0;
};
/// What the job was given, or before that what it asks for.
[[nodiscard]] JobSize size_of(const job::Job& job);
/// Seconds until a running job expires; 0 where it does not, or does not run.
[[nodiscard]] double remaining(const job::Job& job, double now);

}  // namespace fq::cli
