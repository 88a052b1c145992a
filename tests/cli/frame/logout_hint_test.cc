#include "cli/frame/logout_hint.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(LogoutHint, says_what_ends_and_what_helps) {
  // A line for each way in which jobs end with the login; none where they stay.
  EXPECT_EQ(logout_hint("fq-submit", process::LogoutEnds::session),
            "fq-submit: your jobs end when you log out (logind has KillUserProcesses=yes); they stay after "
            "`loginctl enable-linger` in what `systemd-run --user --scope` starts\n");
  EXPECT_EQ(logout_hint("fq-batch", process::LogoutEnds::user_manager),
            "fq-batch: your jobs end when you log out; `loginctl enable-linger` lets them stay\n");
  EXPECT_EQ(logout_hint("fq-submit", process::LogoutEnds::nothing), std::nullopt);
}

}  // namespace
}  // namespace fq::cli
