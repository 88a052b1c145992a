// Another inventory while jobs run: nothing is given twice, nothing is lost, whatever the pool's places become.

#include "manager/reload.h"

#include <gtest/gtest.h>

#include "exec/topology.h"
#include "manager/configure.h"
#include "manager/query.h"
#include "records/drains.h"
#include "records/instance.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using document::ResourceSet;
using notation::JobId;

ResourceSet nodes(const std::string& hosts, const std::string& cores) {
  const auto list = notation::Hostlist::decode(hosts);
  const auto last = static_cast<std::uint32_t>(list.count() - 1);
  return ResourceSet::uniform(notation::Idset::from_range(0, last), list, notation::Idset::decode(cores), {});
}

/// `node[1-2]:0-3`, the nodes of the inventory with their ranks, and which are drained.
std::string look(const Scenario& s) {
  std::string out;
  manager::query(s.session, [&](const store::Reader& reader) {
    out = ResourceSet::parse(records::read_inventory(reader)).summary();
    const auto drained = records::drained_ranks(reader);
    if (!drained.empty()) out += " drained " + drained.encode();
  });
  return out;
}

TEST(Reload, hosts_keep_their_ranks_and_jobs_their_cores) {
  // A node in front is gone, so every place in the pool is another one; a scenario ends with the whole-store check.
  Scenario s(3, 4);
  const JobId first = s.submit(4), second = s.submit(3);
  EXPECT_EQ(s.job(first).nodelist + " " + s.job(second).nodelist, "node0 node1");
  const auto reply = manager::reload_inventory(s.session, nodes("node[1-3]", "0-3"));
  EXPECT_EQ(reply.leaving.encode(), "0");
  EXPECT_EQ(look(s), "rank[0-3]/core[0-3] drained 0");
  const JobId one = s.submit(1), four = s.submit(4), waits = s.submit(8);
  EXPECT_EQ(s.job(one).nodelist + " " + s.job(four).nodelist, "node1 node2");
  s.finish(first);
  EXPECT_EQ(s.faults(), "");
  EXPECT_EQ(manager::reload_inventory(s.session, nodes("node[1-3]", "0-3")).leaving.encode(), "");
  EXPECT_EQ(look(s), "rank[1-3]/core[0-3]");
  for (const JobId id : {second, one, four}) s.finish(id);
  EXPECT_EQ(s.states({waits}), "R");
  s.finish(waits);
}

TEST(Reload, a_node_that_comes_back_is_used_again) {
  // The drain that its leaving was, and no other, goes.
  Scenario s(2, 4);
  const JobId runs = s.submit(4);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  EXPECT_EQ(look(s), "rank[0-1]/core[0-3] drained 0");
  manager::reload_inventory(s.session, nodes("node[0-1]", "0-5"));
  EXPECT_EQ(look(s), "rank[0-1]/core[0-5]");
  EXPECT_EQ(s.states({s.submit(2)}), "R");
  while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  EXPECT_EQ(s.states({runs}), "CD");
}

TEST(Reload, jobs_that_can_never_run_any_more_fail) {
  // The others wait on.
  Scenario s(2, 4);
  const JobId runs = s.submit(8), large = s.submit(8), small = s.submit(2);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  s.finish(runs);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  EXPECT_EQ(s.states({large, small}), "F R");
  s.finish(small);
}

TEST(Reload, R33_21_queues_follow_the_nodes) {
  // What the configuration says of nodes holds for the new ones; what does not fit is refused.
  Scenario s(2, 4);
  const document::ConfigSource source({document::ConfigSource::File{"fq.toml", "queues.a.hosts = \"node1\"\n"}});
  manager::load_config(s.session, source, false);
  manager::reload_inventory(s.session, nodes("node[0-4]", "0-3"));
  EXPECT_EQ(s.faults(), "");
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, nodes("node0", "0-3")); }),
            "the configuration does not fit these nodes: queues.a.hosts: there is no node 'node1' "
            "(load another one first: fq config load)");
}

TEST(Reload, what_is_no_inventory_is_refused) {
  // No nodes; a host twice; somebody else.
  Scenario s(1, 4);
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, {}); }), "R: it has no nodes");
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, nodes("a,a", "0")); }),
            "R: host 'a' is named twice");
  s.session.caller = {s.session.caller.uid + 1000, 1};
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, nodes("a", "0")); }),
            "only the owner may reload the inventory");
  s.session.caller = manager::Credential::of_process();
}

}  // namespace
}  // namespace fq::test
