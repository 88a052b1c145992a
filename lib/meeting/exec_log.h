// guest/<id>/exec.eventlog: what happened to a job's execution (RFC 16, 18), in the events of Flux's:
//
//   init                                   once, when the guest directory is made
//   starting attempt=N                     begins what attempt N has to say
//   shell.init leader-rank=R size=NODES [inherited=[WORDS…]]   inherited: what of the store's baseline could
//                                          not be restored
//   shell.start taskmap={…}
//   shell.task-exit localid rank state pid wait_status signaled exitcode
//   exception type severity note           to be posted before `finish`
//   shell-exit rank=0 wait_status=S
//   complete status=S attempt=N            synced: the outcome holds even if nobody could post it
//   done

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "meeting/append_file.h"
#include "meeting/job_files.h"
#include "meeting/outcome.h"

namespace fq::meeting {

class ExecLog {
 public:
  /// Opens the log and begins attempt `attempt`. Throws Error.
  ExecLog(const JobFiles& files, notation::JobId id, std::uint32_t attempt, const Clock& clock,
          std::uint32_t ntasks);

  /// Appends an event of now. On a full disk it is kept and written before the next.
  void post(std::string_view name, const nlohmann::json& context);
  void post(const document::Event& event);
  /// Writes `shell-exit`, `complete` and `done` and syncs. Tries for a few seconds on a full disk, then
  /// leaves it to the caller to post the outcome unrecorded.
  void complete(const ShellOutcome& outcome);

 private:
  const Clock& clock_;
  std::uint32_t attempt_;
  AppendFile file_;
};

}  // namespace fq::meeting
