// fq-top: what an instance is at, and those inside its jobs, on a screen that follows it.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/format/user_formats.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/terminal.h"
#include "cli/jobs/job_fields.h"
#include "cli/jobs/job_listing.h"
#include "cli/live/instance_text.h"
#include "cli/live/line_selection.h"
#include "cli/live/live_listing.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/place.h"
#include "request/site.h"

namespace {

using namespace fq;

// Instances in instances beyond this are not opened.
constexpr std::size_t kDeepest = 32;

struct Options {
  cli::CommonOptions common;
  std::optional<std::string> queue;
};

// One instance: what it is at, and the job of it that is chosen. `around`, where it is inside a job, is whom
// to ask whether that job still has it, and `way` the jobs in which it is.
class View {
 public:
  struct Around {
    const door::Door& door;
    notation::JobId job;
    std::string store;
  };

  View(const Options& options, std::optional<Around> around, std::vector<notation::JobId> way)
      : options_(options),
        around_(std::move(around)),
        way_(std::move(way)),
        listed_(listing_options(options)),
        formats_("jobs", listed_.listing.format, cli::job_formats()),
        listing_(listed_, formats_, options.common.color, {}),
        store_("fq-top", options.common),
        color_(cli::use_color(options.common.color, STDOUT_FILENO)) {}

  void read() {
    overview_ = store_.get().ask(request::InstanceRequest{options_.queue});
    listing_.read(store_.get());
    if (!failed_ || !is_gone(*failed_)) return;
    note_ = ended_note(failed_->job);
    failed_.reset();
  }

  [[nodiscard]] std::string render() {
    const double now = listing_.ahead_of_boot() + store_.get().clock().boot_time();
    return selection_.mark(head(now) + listing_.text(now), lines());
  }

  // Shows it until the user ends that, whose exit code this is, or goes back.
  std::optional<int> show(cli::LiveScreen& screen) {
    for (;;) {
      opened_.reset();
      const auto code = cli::show_live(
          screen, store_.get(), {},
          {[this] { read(); }, [this] { return render(); }, [this] { return listing_.left_out(); },
           [] { return true; }, [this](cli::Key key) { return pressed(key); }, [this] { return is_left(); }});
      if (code || !opened_) return code;
      if (const auto ended = show_inner(screen)) return ended;
    }
  }

 private:
  static cli::JobListingOptions listing_options(const Options& options) {
    cli::JobListingOptions listed;
    listed.all_users = true;
    listed.queues = {options.queue.value_or("all")};
    return listed;
  }

  [[nodiscard]] std::string head(double now) const {
    std::string text;
    for (const notation::JobId id : way_)
      text += fmt::format("{}job {}", text.empty() ? "inside " : " / ", id);
    if (!text.empty()) text += " (q goes back)\n";
    if (!note_.empty()) text += note_ + "\n";
    return text + cli::summary_text(overview_, now, color_);
  }

  // The lines of jobs that may have an instance.
  [[nodiscard]] std::vector<cli::LineSelection::Line> lines() const {
    std::vector<cli::LineSelection::Line> lines;
    const std::string before = head(0);
    auto at = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    for (const request::ListedJob& listed : listing_.jobs()) {
      if (listed.job.state == job::State::run) lines.push_back({at, listed.job.id});
      ++at;
    }
    return lines;
  }

  bool pressed(cli::Key key) {
    note_.clear();
    failed_.reset();
    switch (key) {
      case cli::Key::up:
      case cli::Key::down:
        selection_.move(key == cli::Key::down, lines(), cli::LiveScreen::rows());
        return true;
      case cli::Key::enter:
        open();
        return true;
      case cli::Key::back:
      case cli::Key::quit:
        is_closed_ = around_.has_value();
        return is_closed_;
    }
    return false;
  }

  // The store of the instance inside the job that is chosen.
  void open() {
    const auto id = selection_.chosen(lines());
    if (!id) {
      note_ = "no job is chosen (the arrows choose one)";
    } else if (way_.size() == kDeepest) {
      note_ = "this is deep enough";
    } else if (auto store = store_.get().ask(request::InstancesRequest{{*id}}).stores.at(0)) {
      opened_.emplace(Around{store_.get(), *id, *std::move(store)});
    } else {
      note_ = fmt::format("job {} has no instance to look into", *id);
    }
  }

  bool is_left() { return opened_ || is_closed_ || (around_ && is_gone(*around_)); }

  // An instance goes with its job.
  static bool is_gone(const Around& around) {
    return around.door.ask(request::InstancesRequest{{around.job}}).stores.at(0) != around.store;
  }

  // Shows what is opened; what there is to tell of it stands here afterwards.
  std::optional<int> show_inner(cli::LiveScreen& screen) {
    std::vector<notation::JobId> way = way_;
    way.push_back(opened_->job);
    Options there;
    there.common = options_.common;
    there.common.store = opened_->store;
    try {
      View inner(there, opened_, std::move(way));
      const auto code = inner.show(screen);
      if (code || inner.is_closed_) return code;
      note_ = ended_note(opened_->job);
    } catch (const Error& failure) {
      // What is half removed already ends in a moment.
      note_ = fmt::format("job {}: {}", opened_->job, printable(failure.what()));
      failed_.emplace(*opened_);
    }
    return std::nullopt;
  }

  [[nodiscard]] static std::string ended_note(notation::JobId id) {
    return fmt::format("job {} has ended", id);
  }

  const Options options_;
  std::optional<Around> around_;
  std::vector<notation::JobId> way_;
  cli::JobListingOptions listed_;
  cli::FormatNames formats_;
  cli::JobListing listing_;
  tools::StoreSession store_;
  bool color_;
  request::InstanceOverview overview_;
  cli::LineSelection selection_;
  std::optional<Around> opened_;
  std::optional<Around> failed_;  ///< what could not be read, which note_ tells
  bool is_closed_ = false;
  std::string note_;
};

int run(int argc, char** argv) {
  Options options;
  bool once = false;
  cli::OptionParser parser("fq-top",
                           "follow what is taken and which jobs run; Enter looks into a job, q ends");
  parser.example("fq top -q batch");
  parser.example("fq top --store $(fq job uri ƒ2GMuTnf)");
  parser.group("Options");
  parser.option("-q,--queue", "QUEUE", options.queue, "jobs and nodes of this queue alone");
  parser.flag("-b,--batch", once, "print it once, and end");
  cli::add_common_options(parser, options.common);
  static_cast<void>(parser.parse(argc, argv));
  View view(options, std::nullopt, {});
  if (once) {
    view.read();
    cli::print(view.render());
    return 0;
  }
  cli::LiveScreen screen;
  return view.show(screen).value_or(0);
}

}  // namespace

int fq::tools::command::top(int argc, char** argv) {
  return ::run(argc, argv);
}
