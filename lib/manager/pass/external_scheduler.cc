#include "manager/pass/external_scheduler.h"

#include <utility>

#include "process/start/child_channel.h"

namespace fq::manager {

namespace {

// For how long a pass waits for one in all, seconds.
constexpr double kLongestPass = 60;
// For how long it may read nothing, seconds.
constexpr double kSendSilence = 1;

class ProcessChannel final : public sched::Channel {
 public:
  explicit ProcessChannel(const std::vector<std::string>& command) : child_(command, kLongestPass) {}

  void send_line(std::string_view line) override { child_.send_line(line, kSendSilence); }
  [[nodiscard]] std::optional<std::string> receive_line(double silence_s) override {
    return child_.receive_line(silence_s);
  }
  void close_input() override { child_.close_input(); }
  [[nodiscard]] std::string how_it_ended(double silence_s) override { return child_.how_it_ended(silence_s); }
  [[nodiscard]] std::string last_complaint() override { return child_.last_complaint(); }

 private:
  process::ChildChannel child_;
};

}  // namespace

std::unique_ptr<sched::Scheduler> start_external(const sched::Parameters& parameters,
                                                 std::uint64_t queue_depth, bool sends_unknown) {
  sched::External::Options options;
  options.sends_unknown = sends_unknown;
  options.queue_depth = queue_depth;
  options.most = parameters.queue_depth;
  return std::make_unique<sched::External>(std::make_unique<ProcessChannel>(parameters.command), options);
}

}  // namespace fq::manager
