#include "cli/frame/familiar_names.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(FamiliarNames, options_lead_to_one_that_the_command_has) {
  // The first that fits; none where the command has none of them.
  const std::vector<std::string> tasks{"--cores-per-task", "--queue"};
  const std::vector<std::string> slots{"--cores-per-slot"};
  EXPECT_EQ(familiar_option("--cpus-per-task", tasks), "--cores-per-task");
  EXPECT_EQ(familiar_option("--cpus-per-task", slots), "--cores-per-slot");
  EXPECT_EQ(familiar_option("-p", tasks), "--queue");
  EXPECT_EQ(familiar_option("-p", slots), "");
  EXPECT_EQ(familiar_option("--nosuch", tasks), "");
  EXPECT_EQ(familiar_command("sbatch"), "batch");
  EXPECT_EQ(familiar_command("nosuch"), "");
}

TEST(FamiliarNames, what_fq_has_not_is_done_in_another_way) {
  // Commands and options of elsewhere, each with a sentence; others have none.
  EXPECT_NE(familiar_way("tsp"), "");
  EXPECT_EQ(familiar_way("nosuch"), "");
  const std::vector<std::string> submit{"--requires", "--cc"}, batch{"--requires", "--wrap"};
  EXPECT_NE(familiar_option_way("--mem", submit), "");
  EXPECT_NE(familiar_option_way("--array", batch), "");
  EXPECT_EQ(familiar_option_way("--array", submit), "");
  for (const char* of_sbatch : {"--parsable", "--wait", "--ntasks-per-node", "--requeue"})
    EXPECT_NE(familiar_option_way(of_sbatch, batch), "") << of_sbatch;
  EXPECT_NE(familiar_option_way("--me", std::vector<std::string>{"--all", "--message"}), "");
  EXPECT_EQ(familiar_option_way("--nosuch", batch), "");
}

TEST(FamiliarNames, times_from_now_on) {
  // Slurm's, with units in words or fq's; what begins otherwise is nothing.
  EXPECT_EQ(familiar_begin_time("now+1hour"), "+1h");
  EXPECT_EQ(familiar_begin_time("now + 90minutes"), "+90m");
  EXPECT_EQ(familiar_begin_time("now+30"), "+30");
  EXPECT_EQ(familiar_begin_time("now+2h"), "+2h");
  for (const char* other : {"", "now", "+1h", "now-1h", "now+x", "tomorrow"})
    EXPECT_EQ(familiar_begin_time(other), "") << other;
}

TEST(FamiliarNames, durations_of_slurm) {
  // Minutes and seconds, hours, days; what is none of these is nothing.
  EXPECT_EQ(familiar_duration("10:00"), "10m");
  EXPECT_EQ(familiar_duration("1h30m"), "90m");
  EXPECT_EQ(familiar_duration("1d12h"), "36h");
  EXPECT_EQ(familiar_duration("1h30"), "90m");
  EXPECT_EQ(familiar_duration("30s10m"), "630s");
  EXPECT_EQ(familiar_duration("1m1m"), "");
  EXPECT_EQ(familiar_duration("1s30"), "");
  EXPECT_EQ(familiar_duration("2m5s"), "125s");
  EXPECT_EQ(familiar_duration("1:30:00"), "1.5h");
  EXPECT_EQ(familiar_duration("2-0"), "2d");
  EXPECT_EQ(familiar_duration("1-12:00"), "1.5d");
  EXPECT_EQ(familiar_duration("0-00:00:30"), "30s");
  EXPECT_EQ(familiar_duration("5min"), "5m");
  EXPECT_EQ(familiar_duration("1.5 hours"), "1.5h");
  EXPECT_EQ(familiar_duration("2days"), "2d");
  for (const char* other :
       {"", "5", "min", "5 parsecs", "1:2:3:4", "a:b", "1-", "-1", "1:-2", "1-2-3", "99999999999:0"}) {
    EXPECT_EQ(familiar_duration(other), "") << other;
  }
}

}  // namespace
}  // namespace fq::cli
