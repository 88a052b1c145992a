// Watching many jobs until each has come to an event: their output, their ends, the progress of all.
//
// Looking costs what has changed (request/watch.h), whatever number is waited for. Only events of jobs
// that neither run nor have ended take a look at each job's log.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/follow/job_outlets.h"
#include "cli/follow/output_reader.h"
#include "cli/frame/progress.h"
#include "document/event/eventlog.h"
#include "door/door.h"
#include "job/job.h"
#include "process/signals/interrupt.h"
#include "request/watch.h"

namespace fq::cli {

struct WatchOptions {
  std::string_view command;  ///< who speaks in messages
  bool output = false;       ///< show what the jobs write
  bool label_io = false;     ///< `ID: RANK: ` before each line of it
  int verbose = 0;           ///< 1: how each job ended; 2: all its events
};

class JobWatch {
 public:
  /// What is referred to outlives this; `progress` may be null.
  JobWatch(const door::Door& door, const WatchOptions& options, JobOutlets& outlets, Progress* progress);

  /// A job to watch, until the event that `follow` names. `follow` outlives this.
  void add(notation::JobId id, const JobFollow& follow);

  /// Returns the largest exit code of the jobs: 0 for those that have not ended, at least 1 for those that
  /// ended without coming to the event. Ends early, with 130, when `interrupts` counts one.
  [[nodiscard]] int run(process::InterruptCounter& interrupts);

 private:
  enum class Status : std::uint8_t { pending, running, complete, failed };

  /// The logs of one job that are followed.
  struct Logs {
    std::size_t seen = 0;                                     ///< bytes of the job's event log
    std::unique_ptr<door::GuestFile> exec_file, output_file;  ///< none: not looked for yet
    std::string exec_unread;
    std::unique_ptr<OutputReader> output;
    bool waits_exec = false;
    bool found = false;  ///< the event that is waited for
  };
  struct Watched {
    notation::JobId id;
    const JobFollow* follow;
    Status status = Status::pending;
    std::unique_ptr<Logs> logs;  ///< where more than the end counts
  };

  [[nodiscard]] bool needs_logs(const JobFollow& follow) const;
  /// Makes the request of what was added.
  void begin();
  void look();
  void take(request::WatchNews& news);
  /// Hands on what was found, a file's bytes in pieces. One that is not whole is told, and counts as a
  /// failure.
  template <typename Take>
  void take_stored(const Watched& job, const request::StoredLog& stored, std::string_view name,
                   const Take& take);
  void say(const Watched& job, std::string_view text);
  void take_events(Watched& job, std::string_view text);
  void take_exec(Watched& job, std::string_view bytes);
  void follow_files(std::size_t index);
  /// Reads what has been written to the guest files that are followed.
  void read_files();
  /// Opens files of a running job that are there by now; what is not open when it ends comes from the store.
  void open_files(std::size_t index);
  void drain(Watched& job);
  void set_status(Watched& job, const job::Job& record);
  void finish(std::size_t index, const std::optional<job::Job>& record);
  /// Nothing more is looked for of the job.
  void leave(std::size_t index);
  [[nodiscard]] bool is_over(std::size_t index) const;
  void tell(const Watched& job, const document::Event& event, std::string_view prefix);
  void draw();

  const door::Door& door_;
  WatchOptions options_;
  JobOutlets& outlets_;
  Progress* progress_;

  std::vector<Watched> jobs_;             ///< by id, once it runs
  request::WatchRequest request_;         ///< of the same jobs
  std::size_t counts_[4] = {0, 0, 0, 0};  ///< by status
  std::size_t left_ = 0;                  ///< jobs that are not done
  bool each_log_ = false;                 ///< jobs that wait for resources have something to tell, too
  double first_submit_ = 0;
  int idle_ = 0;
  std::vector<std::size_t> followed_;  ///< jobs whose guest files are read as they grow
  int code_ = 0;
};

}  // namespace fq::cli
