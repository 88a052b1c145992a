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

TEST(FamiliarNames, durations_of_slurm) {
  // Minutes and seconds, hours, days; what is none of these is nothing.
  EXPECT_EQ(familiar_duration("10:00"), "10m");
  EXPECT_EQ(familiar_duration("1h30m"), "90m");
  EXPECT_EQ(familiar_duration("1d12h"), "36h");
  EXPECT_EQ(familiar_duration("2m5s"), "125s");
  EXPECT_EQ(familiar_duration("1:30:00"), "1.5h");
  EXPECT_EQ(familiar_duration("2-0"), "2d");
  EXPECT_EQ(familiar_duration("1-12:00"), "1.5d");
  EXPECT_EQ(familiar_duration("0-00:00:30"), "30s");
  for (const char* other : {"", "5", "1:2:3:4", "a:b", "1-", "-1", "1:-2", "1-2-3", "99999999999:0"}) {
    EXPECT_EQ(familiar_duration(other), "") << other;
  }
}

}  // namespace
}  // namespace fq::cli
