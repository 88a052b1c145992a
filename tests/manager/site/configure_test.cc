// What a configuration does beside queues: nodes of its own and excluded ones, how jobs are ended, how long
// they are kept.

#include "manager/site/configure.h"

#include <gtest/gtest.h>

#include "document/config/config_resource.h"
#include "manager/core/inventory.h"
#include "manager/jobs/purge.h"
#include "manager/site/instances.h"
#include "records/instance.h"
#include "records/purged.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using document::ConfigSource;
using notation::JobId;

class Configure : public testing::Test {
 protected:
  ~Configure() override {
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  // Returns the nodes that leave.
  std::string load(const std::string& text) {
    const ConfigSource source({ConfigSource::File{"fq.toml", text}});
    const auto nodes = document::configured_nodes(document::ConfigAt(source.document(), &source),
                                                  [](const std::string&) { return std::string{}; });
    return manager::load_config(s.session, source, false, nodes).leaving;
  }
  std::string failure(const std::string& text) {
    return error_text([&] { return load(text); });
  }
  // `rank0/core[0-3] excluded rank1/core[0-3]`
  std::string look() {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out = document::ResourceSet::parse(records::read_inventory(reader)).summary();
      const auto excluded = manager::read_excluded(reader);
      if (!excluded.empty()) out += " excluded " + excluded.summary();
    });
    return out;
  }
  // How many jobs were purged, as the store counts them.
  std::uint64_t purged() {
    std::uint64_t number = 0;
    manager::query(s.session, [&](const store::Reader& reader) { number = records::purged_jobs(reader); });
    return number;
  }
  // How many jobs of these the store still knows.
  std::size_t kept(const std::vector<JobId>& ids) {
    std::size_t n = 0;
    manager::query(s.session, [&](const store::Reader& reader) {
      n = 0;
      for (const JobId id : ids) n += records::find_job(reader, id) ? 1 : 0;
    });
    return n;
  }
  JobId ended() {
    const JobId id = s.submit();
    s.finish(id);
    return id;
  }

  Scenario s{2, 4};
};

TEST_F(Configure, excluded_nodes_belong_to_queues_and_run_nothing) {
  // What needs them can never run; they come back with the next configuration.
  constexpr const char* kQueue = "[queues.a]\nhosts = 'node[0-1]'\n";
  load(std::string{"resource.exclude = 'node1'\n"} + kQueue);
  EXPECT_EQ(look(), "rank0/core[0-3] excluded rank1/core[0-3]");
  EXPECT_EQ(error_text([&] { return s.submit(8); }), "unsatisfiable request: 8 cores requested, 4 match");
  EXPECT_EQ(s.faults(), "");
  load(kQueue);
  EXPECT_EQ(look(), "rank[0-1]/core[0-3]");
  EXPECT_EQ(s.states({s.submit(8)}), "R");
}

TEST_F(Configure, a_node_that_is_excluded_while_jobs_run_leaves_with_them) {
  // Until then it is there for them alone.
  const JobId runs = s.submit(8);
  EXPECT_EQ(load("resource.exclude = '1'\n"), "node1");
  EXPECT_EQ(look(), "rank[0-1]/core[0-3] excluded rank1/core[0-3]");
  const JobId waits = s.submit(4);
  s.finish(runs);
  EXPECT_EQ(look(), "rank0/core[0-3] excluded rank1/core[0-3]");
  EXPECT_EQ(s.job(waits).nodelist, "node0");
}

TEST_F(Configure, not_all_nodes_can_be_excluded) {
  // Nothing would be left; nothing is changed.
  EXPECT_EQ(failure("resource.exclude = '0-1'\n"), "fq.toml:1: resource.exclude: no nodes would be left");
  EXPECT_EQ(look(), "rank[0-1]/core[0-3]");
}

TEST_F(Configure, nodes_of_the_configuration_replace_those_of_the_store) {
  // Hosts that are known keep their rank; what jobs hold of others stays until they end.
  const JobId runs = s.submit(4);
  EXPECT_EQ(load("[[resource.config]]\nhosts = 'node1,new'\ncores = '0-1'\nproperties = ['p']\n"
                 "[queues.q]\nrequires = ['p']\n"),
            "node0");
  EXPECT_EQ(look(), "rank0/core[0-3] rank[1-2]/core[0-1]");
  s.finish(runs);
  EXPECT_EQ(look(), "rank[1-2]/core[0-1]");
  EXPECT_EQ(failure("[[resource.config]]\nhosts = 'new'\ncores = '0'\n[queues.q]\nrequires = ['p']\n"),
            "fq.toml:5: queues.q.requires: no node has the property 'p'");
  EXPECT_EQ(look(), "rank[1-2]/core[0-1]");
}

TEST_F(Configure, shells_are_told_how_jobs_are_ended) {
  // Those that are started after the configuration was loaded.
  const auto told = [&] {
    const meeting::LaunchPlan& plan = s.launcher.shells.at(s.submit()).plan;
    return fmt::format("{} {} {} {}", plan.term_signal, plan.kill_grace_s, plan.kill_signal,
                       plan.max_kill_count);
  };
  EXPECT_EQ(told(), "15 5 9 0");
  load("[exec]\nterm-signal = 'INT'\nkill-timeout = '1m'\nkill-signal = 'QUIT'\nmax-kill-count = 3\n");
  EXPECT_EQ(told(), "2 60 3 3");
  load("");
  EXPECT_EQ(told(), "15 5 9 0");
}

TEST_F(Configure, jobs_beyond_the_limits_are_purged_as_others_end) {
  // By age, by number; those that have just ended stay for who waits for them.
  load("[jobs]\ninactive-age-limit = '1h'\n");
  std::vector<JobId> old{ended(), ended()};
  s.clock.advance(3601);
  const JobId young = ended();
  EXPECT_EQ(kept(old), 0U);
  EXPECT_EQ(kept({young}), 1U);
  load("[jobs]\ninactive-num-limit = 2\n");
  std::vector<JobId> many{young};
  for (int i = 0; i < 5; ++i) many.push_back(ended());
  EXPECT_EQ(kept(many), 6U);
  s.clock.advance(61);
  ended();
  EXPECT_EQ(kept(many), 1U);
  EXPECT_EQ(kept({many.back()}), 1U);
}

TEST_F(Configure, what_one_transaction_purges_is_bounded) {
  // Others do the rest; purge by name does all.
  std::vector<JobId> many;
  for (int i = 0; i < 40; ++i) many.push_back(ended());
  load("[jobs]\ninactive-num-limit = 0\n");
  s.clock.advance(61);
  ended();
  EXPECT_EQ(kept(many), 8U);
  EXPECT_EQ(purged(), 32U);
  manager::PurgeRequest request;
  request.configured = true;
  EXPECT_EQ(manager::purge(s.session, request).purged, 9U);
  EXPECT_EQ(purged(), 41U);
  load("");
  EXPECT_EQ(error_text([&] { return manager::purge(s.session, request).purged; }),
            "which jobs? give their ids, --age-limit or --num-limit (the configuration has no limits)");
}

TEST_F(Configure, PRIO_30_instances_have_nodes_that_the_configuration_gives) {
  // With their ranks. Nodes that come and go do so for instances, too.
  const auto with = [](const std::string& all, const std::string& own) {
    return fmt::format(
        "policy.jobspec.defaults.system.queue = \"batch\"\n"
        "[[resource.config]]\nhosts = \"{}\"\ncores = \"0-1\"\n"
        "[queues.batch]\n[queues.debug]\nhosts = \"{}\"\ninstance = true\n",
        all, own);
  };
  const auto inside = [&] {
    std::string out;
    manager::query(manager::standing_instances(s.session).at(0).session, [&](const store::Reader& reader) {
      out = document::ResourceSet::parse(records::read_inventory(reader)).summary();
    });
    return out;
  };
  load(with("node[0-3]", "node[2-3]"));
  EXPECT_EQ(look(), "rank[0-1]/core[0-1] excluded rank[2-3]/core[0-1]");
  EXPECT_EQ(inside(), "rank[2-3]/core[0-1]");
  load(with("node[0-5]", "node[2,5]"));
  EXPECT_EQ(look(), "rank[0-1,3-4]/core[0-1] excluded rank[2,5]/core[0-1]");
  EXPECT_EQ(inside(), "rank[2,5]/core[0-1]");
  load(with("node[1-2]", "node2"));
  EXPECT_EQ(look(), "rank1/core[0-1] excluded rank2/core[0-1]");
  EXPECT_EQ(inside(), "rank2/core[0-1]");
  EXPECT_EQ(failure(with("node[1-6]", "node6")), "queue 'debug': its instance would keep none of its nodes");
  EXPECT_EQ(inside(), "rank2/core[0-1]");
}

TEST_F(Configure, in_a_store_that_users_share_no_queue_is_an_instance) {
  document::Config config;
  manager::refuse_instances("/var/lib/fq", config);
  config.instances.push_back({"debug", {"debug"}, notation::Idset::decode("1")});
  manager::refuse_instances(s.session.store, config);
  EXPECT_EQ(error_text([&] { manager::refuse_instances("/var/lib/fq", config); }),
            "the queue 'debug' cannot be an instance: users share this store");
}

}  // namespace
}  // namespace fq::test
