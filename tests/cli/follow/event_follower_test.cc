// Names of event logs. What the follower does is proved on real jobs, in tools/fq-job-wait-event.bats.

#include "cli/follow/event_follower.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

std::string path_of(std::string_view text) {
  try {
    return parse_log_path(text);
  } catch (const Error& failure) {
    return error_line("fq", failure);
  }
}

TEST(LogPath, logs_have_a_short_name_and_their_key) {
  // The four logs that a job can have; others are refused with what would be right.
  EXPECT_EQ(path_of("eventlog"), "eventlog");
  EXPECT_EQ(path_of("exec"), "guest.exec.eventlog");
  EXPECT_EQ(path_of("guest.exec.eventlog"), "guest.exec.eventlog");
  EXPECT_EQ(path_of("output"), "guest.output");
  EXPECT_EQ(path_of("guest.input"), "guest.input");
  EXPECT_EQ(path_of("guest.../../lock"),
            "fq: there is no event log 'guest.../../lock' (one of eventlog, exec, output, input, prolog, "
            "epilog, housekeeping)\n");
  EXPECT_EQ(path_of("outputs"), "fq: there is no event log 'outputs' (did you mean 'output'?)\n");
}

}  // namespace
}  // namespace fq::cli
