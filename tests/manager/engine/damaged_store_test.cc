// Reading a store that is damaged, on request.

#include "manager/engine/damaged_store.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/look/query.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

TEST(DamagedStore, it_is_read_for_the_session_that_asks) {
  // Told once, with what could not be read; another session of the process is refused. What is not found may
  // be in the rest.
  Scenario s;
  const JobId id = s.submit(Scenario::jobspec(), 0);
  const std::string current = store::database_path(s.session.store) + "/CURRENT";
  const std::string kept = read_file(current);
  std::filesystem::remove(current);
  std::string told;
  manager::DamagedStore damaged([&](const std::string& damage, const std::vector<std::string>& lost) {
    told += damage + "\n";
    for (const std::string& line : lost) told += line + "\n";
  });
  manager::Session asks = s.session;
  asks.damaged = &damaged;
  EXPECT_FALSE(manager::has_read_damaged(asks));
  const auto state_in = [&](const manager::Session& session, JobId of) {
    return error_text([&] {
      manager::query_repaired(session, [&](const store::Reader& reader) {
        return static_cast<void>(manager::find_listed(reader, of));
      });
      return 0;
    });
  };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(state_in(asks, id), "no error");
  EXPECT_EQ(told, "the store '" + s.session.store +
                      "' is damaged: db/CURRENT: it is missing\n"
                      "the list of tables was made anew from the tables that are there\n");
  EXPECT_TRUE(manager::has_read_damaged(asks));
  EXPECT_EQ(state_in(asks, JobId{5}),
            "job " + notation::to_f58(JobId{5}) + " does not exist, as far as the damaged store can be read");
  EXPECT_FALSE(manager::has_read_damaged(s.session));
  EXPECT_EQ(state_in(s.session, id),
            "the store '" + s.session.store +
                "' is damaged: db/CURRENT: it is missing (fq fsck --repair mends it; "
                "until then --damaged shows what can be read)");
  write_file(current, kept);
}

}  // namespace
}  // namespace fq::test
