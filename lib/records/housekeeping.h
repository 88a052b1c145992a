// What is run on the nodes of jobs that have given them back, before others get them. Truth: while there is a
// record, the pool and all that plans have its R as allocated. `housekeeping/` be64(id) has
// `{"job", "job_attempt", "userid", "preempted_by", "jobspec", "R", "status", "what", "attempt", "boot_id",
// "t_start"}`; `what` is a document::PerilogConfig.
//
// It has an id of its own, of the jobs' sequence, since a job that was requeued may run again meanwhile: that
// of its sign of life and of its directory.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "document/config/config_perilog.h"
#include "document/resource/resource_set.h"
#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::records {

struct Housekeeping {
  notation::JobId id;                  ///< its own
  notation::JobId job;                 ///< that had the nodes
  std::uint32_t job_attempt = 1;       ///< of the job, that had them
  std::uint32_t userid = 0;            ///< the job's
  notation::JobId preempted_by;        ///< for whom the job gave them back before its time; else 0
  std::string jobspec;                 ///< RFC 25, JSON text
  std::string R;                       ///< RFC 20, JSON text: what is not free before it ends
  std::optional<std::int32_t> status;  ///< with which the job's tasks ended; none where there were none
  document::PerilogConfig what;
  std::uint32_t attempt = 1;  ///< counts the starts of its shell
  std::string boot_id;        ///< the boot in which that was started
  double t_start = 0;         ///< seconds since the epoch

  friend bool operator==(const Housekeeping&, const Housekeeping&) = default;
};

/// When it gives back at the latest what it holds, as far as that is known, seconds since the epoch.
[[nodiscard]] double planned_end(const Housekeeping& housekeeping);

[[nodiscard]] std::optional<Housekeeping> find_housekeeping(const store::Reader& reader, notation::JobId id);
/// By id, which is by the time of their start.
[[nodiscard]] std::vector<Housekeeping> read_housekeepings(const store::Reader& reader);
[[nodiscard]] bool any_housekeeping(const store::Reader& reader);
void write_housekeeping(store::Transaction& transaction, const Housekeeping& housekeeping);
void erase_housekeeping(store::Transaction& transaction, notation::JobId id);

}  // namespace fq::records
