// Queues that are instances of their own: whose nodes are whose, and what configuration an instance has.

#include "document/config/queue_instances.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "document/config/config.h"
#include "document/config/config_source.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

constexpr std::string_view kDefault = "policy.jobspec.defaults.system.queue = \"batch\"\n";

Config config_with(const std::string& text) {
  const PolicyReaders readers{
      [](const json& table) {
        return SchedulerFacts{0, table.value("preempt", std::vector<std::string>{}), {}};
      },
      [](const json&) {}, [](const json&) {}, [](const json&) {}};
  auto nodes = ResourceSet::uniform(notation::Idset::decode("0-3"), notation::Hostlist::decode("node[0-3]"),
                                    notation::Idset::decode("0-3"), notation::Idset{});
  nodes.set_property("big", notation::Idset::decode("3"));
  const ConfigSource source({ConfigSource::File{"fq.toml", std::string{kDefault} + text}});
  return read_config(source.document(), &source, nodes, readers);
}

std::string parts_of(const Config& config) {
  std::string text;
  for (const QueueConfig& queue : config.queues) text += queue.name + " ";
  for (const QueueInstance& instance : config.instances) {
    text += fmt::format("| {}:{}", instance.queue, instance.ranks.encode());
    for (const std::string& queue : instance.queues) text += " " + queue;
  }
  return text + (config.excluded.empty() ? "" : " -" + config.excluded.encode());
}

TEST(QueueInstances, PRIO_30_an_instance_has_its_queue_its_virtual_ones_and_its_nodes) {
  // Nobody else gets the nodes; what is excluded anyhow is not the instance's either.
  EXPECT_EQ(parts_of(config_with("[queues.batch]\n[queues.debug]\nhosts = \"node[2-3]\"\ninstance = true\n"
                                 "[queues.quick]\nparent = \"debug\"\n[queues.also]\nparent = \"debug\"\n")),
            "batch | debug:2-3 also debug quick -2-3");
  EXPECT_EQ(parts_of(config_with("[resource]\nexclude = \"node2\"\n[queues.batch]\n[queues.debug]\n"
                                 "hosts = \"node[2-3]\"\ninstance = true\n")),
            "batch | debug:3 debug -2-3");
  EXPECT_EQ(parts_of(config_with("[queues.batch]\nhosts = \"node0\"\n[queues.debug]\nrequires = [\"big\"]\n"
                                 "instance = true\n")),
            "batch | debug:3 debug -3");
  EXPECT_EQ(parts_of(config_with("[queues.batch]\n[queues.debug]\ninstance = false\n")), "batch debug ");
}

TEST(QueueInstances, an_instance_shares_nothing) {
  const auto failure = [](const std::string& text) { return error_text([&] { return config_with(text); }); };
  EXPECT_EQ(failure("[queues.batch]\n[queues.debug]\ninstance = true\n"),
            "fq.toml:3: queues.debug: an instance has nodes of its own (hosts or requires name them)");
  EXPECT_EQ(
      failure("[queues.batch]\nhosts = \"all\"\n[queues.debug]\nhosts = \"node3\"\ninstance = true\n"),
      "fq.toml:4: queues.debug: an instance has nodes of its own, and the queue 'batch' has node3, too");
  EXPECT_EQ(failure("[queues.batch]\n[queues.one]\nhosts = \"node3\"\ninstance = true\n[queues.two]\n"
                    "requires = [\"big\"]\ninstance = true\n"),
            "fq.toml:3: queues.one: an instance has nodes of its own, and the queue 'two' has node3, too");
  EXPECT_EQ(failure("[resource]\nexclude = \"node3\"\n[queues.batch]\n[queues.debug]\nhosts = \"node3\"\n"
                    "instance = true\n"),
            "fq.toml:5: queues.debug: an instance has nodes of its own, and all of these are excluded");
  EXPECT_EQ(failure("[queues.batch]\n[queues.\".hidden\"]\nhosts = \"node3\"\ninstance = true\n"),
            "fq.toml:3: queues..hidden: the name of an instance does not begin with a dot");
}

TEST(QueueInstances, an_instances_configuration_is_the_stores_as_far_as_it_is_for_it) {
  // Without nodes and other queues, and without the names of these in what may be preempted.
  const Config config = config_with(
      "policy.scheduler.preempt = [\"batch\", \"quick\"]\n"
      "[resource]\nexclude = \"node0\"\n[jobs]\ninactive-num-limit = 5\n[queues.batch]\n"
      "[queues.debug]\nhosts = \"node[2-3]\"\ninstance = true\n"
      "policy.scheduler.preempt = [\"batch\"]\n[queues.quick]\nparent = \"debug\"\n"
      "[qos.urgent]\npreempt = [\"batch\", \"standby\"]\n");
  ASSERT_EQ(config.instances.size(), 1U);
  EXPECT_EQ(instance_document(config.document, config.instances[0]),
            json::parse(R"({"policy": {"jobspec": {"defaults": {"system": {"queue": "debug"}}},
                                       "scheduler": {"preempt": ["quick"]}},
                            "jobs": {"inactive-num-limit": 5},
                            "queues": {"debug": {"policy": {"scheduler": {}}}, "quick": {"parent": "debug"}},
                            "qos": {"urgent": {"preempt": ["standby"]}}})"));
  const ResourceSet nodes = instance_nodes(config.inventory, config.instances[0]);
  EXPECT_EQ(nodes.nodelist(), "node[2-3]");
  EXPECT_EQ(nodes.ranks().encode(), "2-3");
  EXPECT_TRUE(nodes.ranks_with("+debug").empty());
  EXPECT_EQ(nodes.ranks_with("big").encode(), "3");
  EXPECT_EQ(count_queues(config), 3U);
}

}  // namespace
}  // namespace fq::document
