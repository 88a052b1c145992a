// What fq-jobs shows: its options, one look at the store for them, and the text made of that.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/format/format.h"
#include "cli/format/user_formats.h"
#include "cli/frame/common_options.h"
#include "cli/frame/spool.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_rows.h"
#include "door/door.h"
#include "notation/fluid.h"
#include "request/find_job.h"
#include "request/job_filter.h"
#include "request/job_list.h"

namespace fq::cli {

struct JobListingOptions {
  ListingOptions listing;
  bool all = false, all_users = false, stats = false, stats_only = false, start = false;
  bool recursive = false;  ///< and what instances inside the jobs have
  std::optional<std::string> user, filter, name, since, count, include;
  std::vector<std::string> queues;
};

/// Adds them all.
void add_job_listing_options(OptionParser& parser, JobListingOptions& options);

class JobListing {
 public:
  /// Lists `ids`, or where there are none what `options` select. Throws Error{usage} for options that are
  /// wrong, Error{not_found} for an unknown user. `options` and `formats` outlive this.
  JobListing(const JobListingOptions& options, const FormatNames& formats, ColorWhen color,
             std::vector<notation::JobId> ids);

  /// Asks of instances inside jobs whether they can be used.
  void check_instances(InstanceCheck is_there) { is_there_ = std::move(is_there); }
  /// The instances inside jobs of the user that the listing has: the job and the store of each.
  [[nodiscard]] std::vector<std::pair<notation::JobId, std::string>> instances(const door::Door& door) const;
  /// What JSON objects of jobs have besides from now on: members.
  void put_inside(std::map<notation::JobId, std::string> members) { inside_ = std::move(members); }

  /// Makes `out` the listing of one state of the store. Jobs are held in memory only where ids were given.
  void write(const door::Door& door, Spool& out);

  /// Makes `out` the listing of no jobs: where there is no store yet.
  void write_nothing(Spool& out) const;

  /// Looks at one state of the store and holds what a screen can show of it (JobWindow), or the jobs that
  /// were named; again, it forgets what it saw before.
  void read(const door::Door& door);
  /// What to add to the boot time to have the store's time, as it was read.
  [[nodiscard]] double ahead_of_boot() const { return head_.ahead_of_boot; }
  /// With --stats or --stats-only: whether any job was active in what was read or written.
  [[nodiscard]] bool any_active() const;

  /// The listing of what was read.
  [[nodiscard]] std::string text(double now) const;
  /// The jobs that were read and stand in that text, in its order: each has a line, behind that of the names.
  [[nodiscard]] const std::vector<request::ListedJob>& jobs() const { return jobs_; }
  /// How many jobs were read and are left out in the middle of that text.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  /// Whether the text changes with time alone: something runs, or is expected to.
  [[nodiscard]] bool ticks() const;
  /// A line for each of the ids that is no job, without a line end.
  [[nodiscard]] std::vector<std::string> missing() const;
  /// That there are more jobs than the default count, where the listing itself does not say so; without a
  /// line end, else empty.
  [[nodiscard]] std::string cut_notice() const;

 private:
  [[nodiscard]] Format<JobRow> make_format() const;
  /// What is asked of the store.
  [[nodiscard]] request::JobListRequest request() const;
  /// How many rows are shown at the most; one more that comes tells that there are more.
  [[nodiscard]] std::size_t wanted_rows() const;
  [[nodiscard]] JobRow row(const request::ListedJob& listed, double now) const;
  void take_head(request::JobListHead&& head);
  /// Appends what stands before the rows, and behind them.
  void begin(Spool& out) const;
  void end(Spool& out, std::size_t shown) const;
  void render_held(double now, Spool& out) const;
  /// What the listing leaves out, a line.
  [[nodiscard]] std::string hint() const;
  /// The part of it about other queues.
  [[nodiscard]] std::string elsewhere() const;

  const JobListingOptions& options_;
  const FormatNames& formats_;
  ColorWhen color_;
  std::vector<notation::JobId> ids_;
  request::JobFilter filter_;
  InstanceCheck is_there_;
  std::map<notation::JobId, std::string> inside_;
  bool hints_ = false;   ///< says what it leaves out
  bool is_cut_ = false;  ///< by the default count

  std::vector<request::ListedJob> jobs_;
  std::size_t left_out_ = 0;
  request::JobListHead head_;
};

}  // namespace fq::cli
