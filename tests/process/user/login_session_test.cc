#include "process/user/login_session.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fq::process {
namespace {

constexpr std::string_view kSession = "/user.slice/user-1000.slice/session-3.scope";
constexpr std::string_view kManager = "/user.slice/user-1000.slice/user@1000.service/app.slice/tmux.scope";

class LoginSession : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    write_file(root_ + path, text);
  }
  LogoutEnds ends(std::string_view cgroup, const std::string& user = "ada") {
    return logout_ends(cgroup, user, root_);
  }

  test::TempDirectory directory_;
  std::string root_ = directory_.path();
};

TEST_F(LoginSession, a_session_ends_its_processes_where_logind_is_told_so) {
  // By the administrator, by a drop-in, or by the default that systemd was built with.
  EXPECT_EQ(ends(kSession), LogoutEnds::nothing);
  put("/usr/lib/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::session);
  put("/etc/systemd/logind.conf", "[Login]\nKillUserProcesses = no\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::nothing);
  put("/usr/lib/systemd/logind.conf.d/50-kill.conf", "[Login]\nKillUserProcesses=yes\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::session);
  put("/etc/systemd/logind.conf.d/50-kill.conf", "");
  EXPECT_EQ(ends(kSession), LogoutEnds::nothing);
  put("/etc/systemd/logind.conf.d/60-kill.conf", "[Login]\nKillUserProcesses=true\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::session);
}

TEST_F(LoginSession, some_users_are_spared) {
  // root by default, those that are excluded, and all others where some are named.
  put("/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
  EXPECT_EQ(ends(kSession, "root"), LogoutEnds::nothing);
  put("/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\nKillExcludeUsers=eve  ada\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::nothing);
  EXPECT_EQ(ends(kSession, "root"), LogoutEnds::session);
  put("/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\nKillOnlyUsers=eve\n");
  EXPECT_EQ(ends(kSession), LogoutEnds::nothing);
  EXPECT_EQ(ends(kSession, "eve"), LogoutEnds::session);
}

TEST_F(LoginSession, a_user_manager_ends_what_is_below_it_unless_the_user_lingers) {
  // Whatever logind does to sessions.
  EXPECT_EQ(ends(kManager), LogoutEnds::user_manager);
  put("/var/lib/systemd/linger/ada", "");
  EXPECT_EQ(ends(kManager), LogoutEnds::nothing);
  EXPECT_EQ(ends(kManager, "eve"), LogoutEnds::user_manager);
}

TEST_F(LoginSession, elsewhere_logging_out_ends_nothing) {
  // Services, containers, systems without systemd.
  put("/etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
  for (const std::string_view cgroup : {"/", "", "/system.slice/cron.service", "/user.slice"}) {
    EXPECT_EQ(ends(cgroup), LogoutEnds::nothing) << cgroup;
  }
}

}  // namespace
}  // namespace fq::process
