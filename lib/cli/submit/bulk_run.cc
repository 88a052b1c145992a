#include "cli/submit/bulk_run.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/follow/job_watch.h"
#include "cli/frame/logout_hint.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "cli/submit/submission.h"
#include "request/submit.h"

namespace fq::cli {
namespace {

using notation::JobId;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kPerStep = 5000;  ///< jobs that a bar advances by

class BulkRun {
 public:
  BulkRun(std::string_view command, const door::Door& door, BulkPlan& plan, const BulkOptions& options)
      : command_(command), door_(door), plan_(plan), options_(options) {
    if (options.progress) {
      progress_.emplace(options.jps);
      if (!progress_->is_shown()) {
        say(command, "standard error is no terminal: --progress is ignored");
      }
    }
    outlets_.emplace(progress_ ? &*progress_ : nullptr);
  }

  int run() {
    if (!options_.submit.quiet) require_output();
    process::InterruptCounter interrupts(process::InterruptCounter::Counted::int_and_term);
    if (options_.submit.verbose > 0) {
      for (std::size_t row = 0; row < plan_.rows().size(); ++row) {
        say(command_, "submit " + plan_.rows().show(row));
      }
    }
    const bool waits = options_.watch || plan_.rows().pattern().follow.wait_event;
    std::optional<JobWatch> watch;
    if (waits) {
      const WatchOptions options{command_, options_.watch, options_.submit.label_io, options_.submit.verbose};
      watch.emplace(door_, options, *outlets_, progress_ ? &*progress_ : nullptr);
    }
    const bool bar = progress_ && progress_->is_shown();
    for (;;) {
      follows_.push_back({});
      const BulkPlan::Portion portion = plan_.next(bar ? kPerStep : kAll);
      if (portion.jobs == 0) break;
      follows_.back() = portion.follow;
      const std::vector<JobFollow>& follow = follows_.back();
      for (const JobFollow& one : follow) outlets_->prepare(one);
      const std::vector<JobId> ids = submit(portion);
      tell_submitted(ids, [&] { print_ids(ids, follow); });
      submitted_ += ids.size();
      last_ = ids.back();
      for (std::size_t i = 0; watch && i < ids.size(); ++i)
        watch->add(ids[i], follow.size() > 1 ? follow[i] : follow[0]);
      if (bar && !waits) {
        progress_->update(fmt::format("Submitting {} jobs: ", plan_.size()), submitted_, plan_.size());
      }
      if (submitted_ < plan_.size() && interrupts.take() > 0) {
        if (bar) progress_->clear();
        say(command_, fmt::format("interrupted: {} of {} jobs were submitted", submitted_, plan_.size()));
        return kInterrupted;
      }
    }
    if (!options_.submit.quiet && !plan_.is_elsewhere()) hint_logout(command_);
    if (plan_.size() == 1 && !waits) hint_limit(command_, door_, options_.submit, last_);
    return watch ? watch->run(interrupts) : 0;
  }

 private:
  std::vector<JobId> submit(const BulkPlan::Portion& portion) {
    try {
      return door_.ask(portion.request).ids;
    } catch (const request::JobError& failure) {
      const std::string name = plan_.rows().call_job(submitted_ + failure.place());
      throw told(name.empty() ? Error{failure} : failure.naming(name));
    } catch (const Error& failure) {
      throw told(failure);
    }
  }

  // An error with what was submitted before.
  [[nodiscard]] Error told(const Error& failure) const {
    if (submitted_ == 0 || !failure.hint().empty()) return failure;
    return Error{failure.kind(), failure.what(),
                 fmt::format("{} of {} jobs were submitted before", submitted_, plan_.size())};
  }

  // In pieces, so that a million ids need no memory to speak of.
  void print_ids(const std::vector<JobId>& ids, const std::vector<JobFollow>& follow) {
    if (options_.submit.quiet) return;
    constexpr std::size_t kPiece = 64U << 10U;
    if (follow.size() > 1 || follow.front().log) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        outlets_->write(follow.size() > 1 ? follow[i] : follow[0], ids[i], OutputTo::out,
                        notation::to_f58(ids[i]) + "\n");
      }
      return;
    }
    std::string out;
    for (const JobId id : ids) {
      out.append(notation::to_f58(id)).append(1, '\n');
      if (out.size() < kPiece && id != ids.back()) continue;
      outlets_->write(follow.front(), id, OutputTo::out, out);
      out.clear();
    }
  }

  std::string_view command_;
  const door::Door& door_;
  BulkPlan& plan_;
  const BulkOptions& options_;
  std::optional<Progress> progress_;
  std::optional<JobOutlets> outlets_;
  std::deque<std::vector<JobFollow>> follows_;  ///< of the portions; the watch refers to them
  std::size_t submitted_ = 0;
  JobId last_;
};

}  // namespace

int run_bulk(std::string_view command, const door::Door& door, BulkPlan& plan, const BulkOptions& options) {
  return BulkRun(command, door, plan, options).run();
}

}  // namespace fq::cli
