// Nodes out of use: who may take them out, what waits for them and what does not.

#include "manager/site/drain.h"

#include <gtest/gtest.h>

#include "manager/look/query.h"
#include "records/instance.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

TEST(Drain, only_the_owner_drains) {
  // Neither may others undrain.
  Scenario s(manager::Credential{1000, 1000});
  s.session.caller = {2000, 2000};
  EXPECT_EQ(error_text([&] {
              return manager::drain_nodes(s.session, {"0", "x"});
            }),
            "only the owner may drain nodes");
  EXPECT_EQ(error_text([&] { return manager::undrain_nodes(s.session, "0", true); }),
            "only the owner may undrain nodes");
}

TEST(Drain, jobs_that_wait_for_drained_nodes_hold_back_nobody) {
  // However many they are; they start when the nodes are back.
  Scenario s(2, 4);
  manager::drain_nodes(s.session, {"node1", "fan"});
  const std::string both = Scenario::jobspec(8, 1);
  const JobId first = s.submit(both), second = s.submit(both), third = s.submit(both), small = s.submit();
  EXPECT_EQ(s.states({first, second, third, small}), "S S S R");
  s.finish(small);
  EXPECT_EQ(manager::undrain_nodes(s.session, "node1", false).encode(), "1");
  EXPECT_EQ(s.states({first, second, third}), "R S S");
  for (const JobId id : {first, second, third}) s.finish(id);
}

TEST(Drain, a_jobs_end_on_a_drained_node_starts_nothing_there) {
  // What it had is free then, and not given.
  Scenario s(1, 4);
  const JobId runs = s.submit(4);
  manager::drain_nodes(s.session, {"0", ""});
  const JobId waits = s.submit();
  s.finish(runs);
  EXPECT_EQ(s.states({waits}), "S");
  manager::undrain_nodes(s.session, "0", false);
  s.finish(waits);
}

}  // namespace
}  // namespace fq::test
