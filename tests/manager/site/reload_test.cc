// Another inventory while jobs run: nothing is given twice, nothing is lost, whatever the pool's places
// become.

#include "manager/site/reload.h"

#include <gtest/gtest.h>

#include "manager/core/inventory.h"
#include "manager/jobs/urgency.h"
#include "manager/look/query.h"
#include "manager/look/why.h"
#include "manager/site/configure.h"
#include "manager/site/drain.h"
#include "manager/site/queue_admin.h"
#include "process/machine/topology.h"
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

/// `rank[1-2]/core[0-3]`, the nodes of the inventory, which are drained, and which leave.
std::string look(const Scenario& s) {
  std::string out;
  manager::query(s.session, [&](const store::Reader& reader) {
    const auto inventory = ResourceSet::parse(records::read_inventory(reader));
    out = inventory.summary();
    const auto drained = records::drained_ranks(reader);
    if (!drained.empty()) out += " drained " + drained.encode();
    const auto leaving = manager::leaving_ranks(reader, inventory);
    if (!leaving.empty()) out += " leaving " + leaving.encode();
  });
  return out;
}

TEST(Reload, hosts_keep_their_ranks_and_jobs_their_cores) {
  // A node in front is gone, so every place in the pool is another one; a scenario ends with the whole-store
  // check.
  Scenario s(3, 4);
  const JobId first = s.submit(4), second = s.submit(3);
  EXPECT_EQ(s.job(first).nodelist + " " + s.job(second).nodelist, "node0 node1");
  const auto reply = manager::reload_inventory(s.session, nodes("node[1-3]", "0-3"));
  EXPECT_EQ(reply.leaving.encode(), "0");
  EXPECT_EQ(look(s), "rank[0-3]/core[0-3] leaving 0");
  const JobId one = s.submit(1), four = s.submit(4), waits = s.submit(8);
  EXPECT_EQ(s.job(one).nodelist + " " + s.job(four).nodelist, "node1 node2");
  EXPECT_EQ(s.faults(), "");
  s.finish(first);
  EXPECT_EQ(look(s), "rank[1-3]/core[0-3]");
  for (const JobId id : {second, one, four}) s.finish(id);
  EXPECT_EQ(s.states({waits}), "R");
  s.finish(waits);
}

TEST(Reload, a_node_that_comes_back_is_used_again) {
  // It no longer leaves; a drain that an administrator gave it lasts, whatever its reason says.
  Scenario s(2, 4);
  const JobId runs = s.submit(4);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  EXPECT_EQ(look(s), "rank[0-1]/core[0-3] leaving 0");
  manager::drain_nodes(s.session, {"0", "not in the inventory any more"});
  manager::reload_inventory(s.session, nodes("node[0-1]", "0-5"));
  EXPECT_EQ(look(s), "rank[0-1]/core[0-5] drained 0");
  manager::undrain_nodes(s.session, "0", false);
  EXPECT_EQ(look(s), "rank[0-1]/core[0-5]");
  EXPECT_EQ(s.states({s.submit(2)}), "R");
  while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  EXPECT_EQ(s.states({runs}), "CD");
}

TEST(Reload, a_node_leaves_with_the_last_of_its_jobs) {
  // Not before, and not because somebody undrains it; cores that are no longer there go in the same way.
  Scenario s(2, 4);
  const JobId a = s.submit(2), b = s.submit(2), c = s.submit(4);
  EXPECT_EQ(s.job(a).nodelist + " " + s.job(b).nodelist + " " + s.job(c).nodelist, "node0 node0 node1");
  manager::reload_inventory(s.session, nodes("node1", "0-1"));
  EXPECT_EQ(look(s), "rank[0-1]/core[0-3] leaving 0");
  manager::drain_nodes(s.session, {"0", ""});
  manager::undrain_nodes(s.session, "0", false);
  const JobId waits = s.submit(1);
  s.finish(a);
  EXPECT_EQ(look(s), "rank0/core[2-3] rank1/core[0-3] leaving 0");
  EXPECT_EQ(s.states({waits}), "S");
  s.finish(b);
  EXPECT_EQ(look(s), "rank1/core[0-3]");
  s.finish(c);
  EXPECT_EQ(look(s), "rank1/core[0-1]");
  EXPECT_EQ(s.states({waits}), "R");
  s.finish(waits);
}

TEST(Reload, jobs_that_can_never_run_any_more_fail) {
  // When the nodes are gone that they need; the others wait on.
  Scenario s(2, 4);
  const JobId runs = s.submit(8), large = s.submit(8), small = s.submit(2);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  s.finish(runs);
  EXPECT_EQ(s.states({large, small}), "F R");
  s.finish(small);
}

TEST(Reload, R27_30_the_note_of_a_denial_is_the_exception_of_the_job) {
  // The command that asked goes on as if nothing were.
  Scenario s(2, 4);
  const JobId runs = s.submit(8), large = s.submit(8);
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  s.finish(runs);
  EXPECT_EQ(s.events(large), "submit validate depend priority exception clean");
  const job::Exception& exception = s.job(large).exception;
  EXPECT_EQ(exception.type + ": " + exception.note,
            "alloc: unsatisfiable request: 8 cores requested, the inventory has 4");
  EXPECT_EQ(exception.severity, 0);
}

TEST(Reload, why_says_first_that_a_job_the_scheduler_does_not_see_can_never_run) {
  // One that is held, that waits for another or whose queue is stopped is not denied, for it may be changed
  // yet.
  Scenario s(2, 4);
  const auto why = [&](JobId id) {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const manager::Reason& reason : manager::why(reader, s.session, id))
        out += (out.empty() ? "" : "; ") + reason.text;
    });
    return out;
  };
  const std::string never = "it can never run: unsatisfiable request: 8 cores requested, the inventory has 4";
  const JobId held = s.submit(Scenario::jobspec(8), 0), small = s.submit(Scenario::jobspec(2), 0);
  const JobId waits = s.submit(Scenario::jobspec(
      8, 1, fmt::format(R"("dependencies":[{{"scheme":"afterany","value":"{}"}}])", notation::to_f58(held))));
  manager::reload_inventory(s.session, nodes("node1", "0-3"));
  EXPECT_EQ(why(held), never + "; it is held: its urgency is 0");
  EXPECT_EQ(why(small), "it is held: its urgency is 0");
  EXPECT_EQ(why(waits), never + fmt::format("; job {} has not ended", notation::to_f58(held)));
  static_cast<void>(manager::set_queue(s.session, {manager::QueueRequest::Verb::stop, "", "noon"}));
  s.cancel(waits);
  EXPECT_TRUE(manager::set_urgency(s.session, {{held}, 16}).refusals.empty());
  EXPECT_EQ(why(held), never + "; scheduling is stopped: noon");
  static_cast<void>(manager::set_queue(s.session, {manager::QueueRequest::Verb::start, "", ""}));
  EXPECT_EQ(s.states({held}), "F");
}

TEST(Reload, R33_21_queues_follow_the_nodes) {
  // What the configuration says of nodes holds for the new ones; what does not fit is refused.
  Scenario s(2, 4);
  const document::ConfigSource source(
      {document::ConfigSource::File{"fq.toml", "queues.a.hosts = \"node1\"\n"}});
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
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, {}); }), "R: there are no nodes");
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, nodes("a,a", "0")); }),
            "R: host 'a' is named twice");
  s.session.caller = {s.session.caller.uid + 1000, 1};
  EXPECT_EQ(error_text([&] { return manager::reload_inventory(s.session, nodes("a", "0")); }),
            "only the owner may reload the inventory");
  s.session.caller = manager::Credential::of_process();
}

}  // namespace
}  // namespace fq::test
