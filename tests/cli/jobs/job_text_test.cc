#include "cli/jobs/job_text.h"

#include <gtest/gtest.h>

#include "cli/jobs/job_fields.h"
#include "cli/jobs/made_jobs.h"

namespace fq::cli {
namespace {

TEST(JobText, says_how_jobs_ended) {
  // Exit codes, signals, exceptions and cancellations each have their words.
  const auto reason = [](int wait_status, job::Exception exception = {}, bool finished = true) {
    Job job = make_ended("f1", "x", "", 1, 1, 1, "n", wait_status);
    job.finished = finished;
    job.exception = std::move(exception);
    std::string out;
    append_inactive_reason(out, job);
    const auto code = return_code(job);
    return fmt::format("{} [{}]", out, code ? std::to_string(*code) : "");
  };
  EXPECT_EQ(reason(0), "Exit 0 [0]");
  EXPECT_EQ(reason(1 << 8), "Exit 1 [1]");
  EXPECT_EQ(reason(126 << 8), "Command invoked cannot execute [126]");
  EXPECT_EQ(reason(127 << 8), "command not found [127]");
  EXPECT_EQ(reason(128 << 8), "Invalid argument to exit [128]");
  EXPECT_EQ(reason(143 << 8), "Terminated [143]");
  EXPECT_EQ(reason(9), "Killed [-9]");
  EXPECT_EQ(reason(255 << 8), "Signal 127 [255]");
  EXPECT_EQ(reason(143 << 8, {true, 0, "cancel", ""}), "Canceled [143]");
  EXPECT_EQ(reason(143 << 8, {true, 0, "cancel", "not needed"}), "Canceled: not needed [143]");
  EXPECT_EQ(reason(0, {true, 0, "cancel", ""}, false), "Canceled [-128]");
  EXPECT_EQ(reason(0, {true, 0, "dependency", "never"}, false), "Exception: type=dependency note=never [1]");
  EXPECT_EQ(reason(0, {true, 0, "alloc", ""}, false), "Exception: type=alloc [1]");
  EXPECT_EQ(reason(127 << 8, {true, 0, "exec", "no such file"}), "command not found [127]");
  EXPECT_EQ(reason(1 << 8, {true, 0, "exec", "input: no such file"}), "Exit 1: input: no such file [1]");
  EXPECT_EQ(reason(143 << 8, {true, 0, "exec", "its shell was lost"}),
            "Terminated: its shell was lost [143]");
  EXPECT_EQ(reason(142 << 8, {true, 0, "timeout", "expired"}), "Timeout [142]");
  EXPECT_EQ(reason(1 << 8, {true, 3, "mishap", "small"}), "Exit 1 [1]");
}

TEST(JobText, says_what_matters_in_each_state) {
  // INFO depends on the state: dependencies, hold, estimate, nodes.
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  const auto info = [](State state, auto change) {
    Job job = make_job("f1", "x", "", state, 1, 60);
    JobRow row{.job = &job, .now = kNow};
    change(job, row);
    std::string out;
    append_contextual_info(out, row);
    return out;
  };
  const auto none = [](Job&, JobRow&) {};
  EXPECT_EQ(info(State::fresh, none), "");
  EXPECT_EQ(info(State::depend, none), "depends:");
  EXPECT_EQ(info(State::depend,
                 [](Job& job, JobRow&) {
                   job.dependencies = {"singleton", "begin-time=1795300000", "begin-time=1795262400.000",
                                       "begin-time=soon"};
                 }),
            "depends:singleton,begin@22:26:40,begin@12:00,begin-time=soon");
  EXPECT_EQ(info(State::depend, [](Job& job, JobRow&) { job.dependencies = {"begin-time=1795348800"}; }),
            "depends:begin@Nov22-12:00");
  EXPECT_EQ(info(State::depend, [](Job& job, JobRow&) { job.dependencies = {"begin-time=1830000000"}; }),
            "depends:begin@2027-Dec28-13:20");
  EXPECT_EQ(info(State::priority, none), "priority-wait");
  EXPECT_EQ(info(State::sched, none), "");
  EXPECT_EQ(info(State::sched, [](Job& job, JobRow&) { job.urgency = 0; }), "held");
  EXPECT_EQ(info(State::sched, [](Job& job, JobRow&) { job.priority = 0; }), "priority-hold");
  EXPECT_EQ(info(State::sched, [](Job&, JobRow& row) { row.t_estimate = kNow - 1; }), "eta:now");
  EXPECT_EQ(info(State::sched, [](Job&, JobRow& row) { row.t_estimate = kNow + 90; }), "eta:1.5m");
  EXPECT_EQ(info(State::run, [](Job& job, JobRow&) { job.nodelist = "n[1-2]"; }), "n[1-2]");
  EXPECT_EQ(info(State::inactive, none), "");
  const auto denied = [](Job& job, JobRow&) { job.exception = {true, 0, "alloc", "there is never so much"}; };
  EXPECT_EQ(info(State::inactive, denied), "there is never so much");
}

}  // namespace
}  // namespace fq::cli
