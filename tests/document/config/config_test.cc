// Queues and policy as configuration describes them: every check, and what is compiled.

#include "document/config/config.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/text.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;

/// Four nodes with 4 cores and a GPU each; node3 has the property `big`, node[0-1] `slow`.
ResourceSet inventory() {
  auto set = ResourceSet::uniform(notation::Idset::decode("0-3"), notation::Hostlist::decode("node[0-3]"),
                                  notation::Idset::decode("0-3"), notation::Idset::decode("0"));
  set.set_property("big", notation::Idset::decode("3"));
  set.set_property("slow", notation::Idset::decode("0-1"));
  return set;
}

const PolicyReaders kReaders{
    [](const json& parameters) {
      JsonAt(parameters, {}).allow_only({"name", "preempt", "tier"});
      return SchedulerFacts{parameters.value("tier", std::uint16_t{0}),
                            parameters.value("preempt", std::vector<std::string>{}),
                            {}};
    },
    [](const json& parameters) { JsonAt(parameters, {}).allow_only({"scheme"}); },
    [](const json& parameters) { JsonAt(parameters, {}).allow_only({"half-life"}); },
    [](const json& parameters) { JsonAt(parameters, {}).allow_only({"max-nodes"}); }};

Config compile(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  return read_config(source.document(), &source, inventory(), kReaders);
}

std::string failure(const std::string& text) {
  return error_text([&] { return compile(text); });
}

/// The compiled queues, one a line.
std::string queues(const Config& config) {
  std::string out;
  for (const QueueConfig& queue : config.queues) out += queue.name + ": " + encode_queue(queue) + "\n";
  return out;
}

constexpr std::string_view kTwo =
    "policy.jobspec.defaults.system.queue = \"batch\"\n[queues.batch]\n[queues.debug]\n";

TEST(Config, R33_2_without_queues_there_is_the_anonymous_one) {
  // Whose policy is the general one.
  const Config config =
      compile("[policy]\nlimits.duration = \"1h\"\njobspec.defaults.system.duration = \"10m\"\n");
  EXPECT_EQ(config.default_queue, "");
  EXPECT_EQ(queues(config),
            ": {\"constraint\":\"\",\"group\":0,\"parent\":\"\",\"policy\":{\"default_duration\":600.0,"
            "\"max_duration\":3600.0},\"tier\":0,\"virtual_queues\":[]}\n");
  EXPECT_EQ(queues(compile("")), queues(compile("[queues]\n")));
}

TEST(Config, R33_3_R33_4_several_queues_need_a_default) {
  // One is it by itself; the one that is named must be there.
  EXPECT_EQ(compile("[queues.only]\n").default_queue, "only");
  EXPECT_EQ(compile(std::string{kTwo}).default_queue, "batch");
  EXPECT_EQ(failure("[queues.batch]\n[queues.debug]\n"),
            "fq.toml:1: queues: of several queues one must be the default "
            "(policy.jobspec.defaults.system.queue = \"batch\")");
  EXPECT_EQ(
      failure("[policy]\njobspec.defaults.system.queue = \"bach\"\n[queues.batch]\n"),
      "fq.toml:2: policy.jobspec.defaults.system.queue: there is no queue 'bach' (did you mean 'batch'?)");
  EXPECT_EQ(failure("policy.jobspec.defaults.system.queue = \"batch\"\n"),
            "fq.toml:1: policy.jobspec.defaults.system.queue: no queues are configured");
}

TEST(Config, R33_6_R33_7_a_queues_own_value_replaces_the_general_one) {
  // Key by key: what it does not set stays general. -1 and "0" lift a general limit.
  const Config config = compile(R"(
[policy]
jobspec.defaults.system = { queue = "batch", duration = "30m" }
limits = { duration = "8h", job-size.max = { nnodes = 4, ngpus = 0 }, job-size.min.ncores = 2 }
access.allow-user = ["ada"]
[queues.batch]
[queues.debug.policy]
limits = { duration = "1h", job-size.max.nnodes = 1 }
access.allow-group = ["staff"]
[queues.free.policy]
limits = { duration = "0", job-size.max.nnodes = -1 }
)");
  EXPECT_EQ(
      encode_queue(config.queues.at(0)),
      R"({"constraint":"","group":0,"parent":"","policy":{"allow_user":["ada"],"default_duration":1800.0,)"
      R"("max":{"ngpus":0,"nnodes":4},"max_duration":28800.0,"min":{"ncores":2}},"tier":0,"virtual_queues":[]})");
  EXPECT_EQ(
      encode_queue(config.queues.at(1)),
      R"({"constraint":"","group":0,"parent":"","policy":{"allow_group":["staff"],"allow_user":["ada"],)"
      R"("default_duration":1800.0,"max":{"ngpus":0,"nnodes":1},"max_duration":3600.0,"min":{"ncores":2}},)"
      R"("tier":0,"virtual_queues":[]})");
  EXPECT_EQ(
      encode_queue(config.queues.at(2)),
      R"({"constraint":"","group":0,"parent":"","policy":{"allow_user":["ada"],"default_duration":1800.0,)"
      R"("max":{"ngpus":0},"min":{"ncores":2}},"tier":0,"virtual_queues":[]})");
  for (const QueueConfig& queue : config.queues) {
    EXPECT_EQ(decode_queue(queue.name, encode_queue(queue)), queue);
  }
}

TEST(Config, R33_21_what_nodes_a_queue_has) {
  // Properties, an RFC 31 table, hosts, all of them, or nothing said.
  const Config config = compile(R"(
policy.jobspec.defaults.system.queue = "a"
[queues.a]
requires = ["slow"]
[queues.b]
requires = { or = [{ properties = ["big"] }, { hostlist = ["node2"] }] }
[queues.c]
hosts = "node[1-2]"
[queues.d]
hosts = "all"
[queues.e]
[queues.f]
requires = []
)");
  std::string constraints;
  for (const QueueConfig& queue : config.queues) constraints += queue.name + ":" + queue.constraint + " ";
  EXPECT_EQ(constraints,
            R"(a:{"properties":["slow"]} b:{"or":[{"properties":["big"]},{"hostlist":["node2"]}]} )"
            R"(c:{"properties":["+c"]} d:{"properties":["+d"]} e: f: )");
  EXPECT_EQ(config.inventory.ranks_with("+c").encode() + " " + config.inventory.ranks_with("+d").encode(),
            "1-2 0-3");
  // Loaded again, without them: the membership is gone.
  const ConfigSource none({ConfigSource::File{"fq.toml", ""}});
  EXPECT_EQ(read_config(none.document(), &none, config.inventory, kReaders).inventory, inventory());
}

TEST(Config, queues_that_share_nodes_form_a_group) {
  // Directly, or through another one that shares with both.
  const auto groups = [](const std::string& text) {
    std::string out;
    for (const QueueConfig& queue : compile("policy.jobspec.defaults.system.queue = \"a\"\n" + text).queues) {
      out += fmt::format("{}{}", queue.name, queue.group);
    }
    return out;
  };
  EXPECT_EQ(
      groups("queues.a.hosts = \"node0\"\nqueues.b.hosts = \"node[1-2]\"\nqueues.c.hosts = \"node3\"\n"),
      "a0b1c2");
  EXPECT_EQ(
      groups("queues.a.hosts = \"node[0,3]\"\nqueues.b.hosts = \"node[1-2]\"\nqueues.c.hosts = \"node3\"\n"),
      "a0b1c0");
  EXPECT_EQ(
      groups(
          "queues.a.hosts = \"node[0-1]\"\nqueues.b.hosts = \"node[1-2]\"\nqueues.c.hosts = \"node[2-3]\"\n"),
      "a0b0c0");
  EXPECT_EQ(groups("queues.a.hosts = \"node0\"\nqueues.b.parent = \"a\"\nqueues.c.hosts = \"node1\"\n"),
            "a0b0c1");
  EXPECT_EQ(groups("queues.a.requires = [\"big\"]\nqueues.b.requires = [\"slow\"]\n[queues.c]\n"), "a0b0c0");
}

TEST(Config, virtual_queues_have_the_nodes_and_the_policy_of_their_parent) {
  // RFC 33 Virtual Queues: general policy, then the parent's, then its own.
  const Config config = compile(R"(
policy.jobspec.defaults.system = { queue = "long", duration = "1h" }
[queues.batch]
requires = ["slow"]
policy.limits = { duration = "8h", job-size.max.nnodes = 2 }
[queues.long]
parent = "batch"
policy.limits.duration = "10d"
)");
  EXPECT_EQ(
      queues(config),
      R"(batch: {"constraint":"{\"properties\":[\"slow\"]}","group":0,"parent":"","policy":{"default_duration":3600.0,)"
      R"("max":{"nnodes":2},"max_duration":28800.0},"tier":0,"virtual_queues":["long"]})"
      "\n"
      R"(long: {"constraint":"{\"properties\":[\"slow\"]}","group":0,"parent":"batch","policy":{"default_duration":3600.0,)"
      R"("max":{"nnodes":2},"max_duration":864000.0},"tier":0,"virtual_queues":[]})"
      "\n");
}

TEST(Config, R33_17_the_schedulers_table_is_read_by_the_scheduler_alone) {
  // Whatever it accepts is passed on as it is, a queue's own keys over the general ones; what it says of the
  // rest is the refusal.
  const ConfigSource source({ConfigSource::File{"fq.toml", R"(
policy.scheduler = { name = "x", any = [1, { deep = true }] }
[queues.a]
policy.scheduler.name = "y"
)"}});
  std::vector<std::string> seen;
  const auto accept = [&](const json& parameters) {
    seen.push_back(parameters.dump());
    return std::uint16_t{7};
  };
  const auto schedules = [&](const json& parameters) {
    SchedulerFacts facts;
    facts.tier = accept(parameters);
    return facts;
  };
  const Config config =
      read_config(source.document(), &source, inventory(), {schedules, accept, accept, accept});
  EXPECT_EQ(config.queues.at(0).policy.scheduler, R"({"any":[1,{"deep":true}],"name":"y"})");
  EXPECT_EQ(config.queues.at(0).tier, 7);
  EXPECT_EQ(seen.back(), R"({"any":[1,{"deep":true}],"name":"y"})");
  const auto refuse = [](const json&) -> SchedulerFacts { throw Error{Kind::invalid, "no such scheduler"}; };
  EXPECT_EQ(error_text([&] {
              return read_config(source.document(), &source, inventory(), {refuse, accept, accept, accept});
            }),
            "fq.toml:2: policy.scheduler: no such scheduler");
}

TEST(Config, R33_17_nor_does_anybody_else_read_that_of_the_priority_schemes) {
  // A queue may have its own, a virtual one too; each is read as it stands.
  const ConfigSource source({ConfigSource::File{"fq.toml", R"(
policy.priority = { scheme = "x", any = [1] }
policy.jobspec.defaults.system.queue = "a"
[queues.a]
policy.priority.scheme = "y"
[queues.b]
parent = "a"
policy.priority.scheme = "z"
)"}});
  std::vector<std::string> seen;
  const PolicyReaders readers{kReaders.scheduler,
                              [&](const json& parameters) {
                                if (parameters == json{{"scheme", "z"}}) throw Error{Kind::invalid, "no z"};
                                seen.push_back(parameters.dump());
                              },
                              kReaders.accounting, kReaders.limits};
  EXPECT_EQ(error_text([&] { return read_config(source.document(), &source, inventory(), readers); }),
            "fq.toml:8: queues.b.policy.priority: no z");
  EXPECT_EQ(join(seen, " "), R"({"any":[1],"scheme":"x"} {"scheme":"y"})");
}

TEST(Config, mistakes_are_named_by_file_line_and_key) {
  // With a near match where there is one.
  const struct {
    std::string text, expected;
  } kTable[] = {
      {"[queue.a]\n", "fq.toml:1: queue: unknown key (did you mean 'queues'?)"},
      {"[policy]\nlimit.duration = \"1h\"\n",
       "fq.toml:2: policy.limit: unknown key (did you mean 'limits'?)"},
      {"[policy.limits]\nxyz = 1\n",
       "fq.toml:2: policy.limits.xyz: unknown key (one of duration, job-size, per-association)"},
      {"[policy.limits]\nduration = 3600\n",
       "fq.toml:2: policy.limits.duration: expected a string, got an integer"},
      {"[policy.limits]\nduration = \"-1h\"\n",
       "fq.toml:2: policy.limits.duration: invalid duration '-1h': a duration cannot be negative"},
      {"[policy.limits.job-size]\nmax.nnodes = -2\n",
       "fq.toml:2: policy.limits.job-size.max.nnodes: expected an integer from -1 to 2147483647, got -2"},
      {"[policy.limits.job-size]\nmax.nodes = 2\n",
       "fq.toml:2: policy.limits.job-size.max.nodes: unknown key (did you mean 'nnodes'?)"},
      {"policy.limits.job-size = { min.nnodes = 3, max.nnodes = 2 }\n",
       "fq.toml:1: policy: jobs need at least 3 nodes and may have at most 2"},
      {"[queues.a.policy]\nlimits.duration = \"1h\"\njobspec.defaults.system.duration = \"2h\"\n",
       "fq.toml:1: queues.a: the default duration 2h is beyond the limit of 1h"},
      {"[queues.a.policy]\njobspec.defaults.system.queue = \"a\"\n",
       "fq.toml:2: queues.a.policy.jobspec.defaults.system.queue: the default queue is set in the general "
       "policy"},
      {"policy.access.allow-user = \"ada\"\n",
       "fq.toml:1: policy.access.allow-user: expected an array of strings, got a string"},
      {"policy.scheduler.tiers = 1\n",
       "fq.toml:1: policy.scheduler: unknown key 'tiers' (did you mean 'tier'?)"},
      {"queues = 1\n", "fq.toml:1: queues: expected a table, got an integer"},
      {"queues.a = 1\n", "fq.toml:1: queues.a: expected a table, got an integer"},
      {"[queues.a]\nrequire = []\n", "fq.toml:2: queues.a.require: unknown key (did you mean 'requires'?)"},
      {"[queues.a]\nrequires = [\"bigg\"]\n",
       "fq.toml:2: queues.a.requires: no node has the property 'bigg' (did you mean 'big'?)"},
      {"[queues.a]\nrequires = [\"big\", \"slow\"]\n",
       "fq.toml:2: queues.a.requires: no node satisfies this"},
      {"[queues.a]\nrequires = { propertys = [\"big\"] }\n",
       "fq.toml:2: queues.a.requires: unknown operator 'propertys' (did you mean 'properties'?)"},
      {"[queues.a]\nrequires = { hostlist = [\"node9\"] }\n",
       "fq.toml:2: queues.a.requires: there is no node 'node9' (the nodes are node[0-3])"},
      {"[queues.a]\nrequires = \"big\"\n",
       "fq.toml:2: queues.a.requires: expected an array of properties, or a table (RFC 31)"},
      {"[queues.a]\nhosts = \"node[0-4]\"\n",
       "fq.toml:2: queues.a.hosts: there is no node 'node4' (the nodes are node[0-3])"},
      {"[queues.a]\nhosts = \"node[0-1,1]\"\n", "fq.toml:2: queues.a.hosts: a host is named twice"},
      {"[queues.a]\nhosts = \"\"\n", "fq.toml:2: queues.a.hosts: no hosts are named"},
      {"[queues.a]\nhosts = \"node0\"\nrequires = [\"big\"]\n",
       "fq.toml:2: queues.a.hosts: a queue has either hosts or requires"},
      {"[queues.a]\nparent = \"a\"\n", "fq.toml:2: queues.a.parent: the queue 'a' is a virtual one itself"},
      {"[queues.a]\nparent = \"b\"\n[queues.b]\nparent = \"a\"\n",
       "fq.toml:2: queues.a.parent: the queue 'b' is a virtual one itself"},
      {"[queues.a]\nparent = \"batsch\"\n[queues.batch]\n",
       "fq.toml:2: queues.a.parent: there is no queue 'batsch' (did you mean 'batch'?)"},
      {"[queues.a]\n[queues.b]\nparent = \"a\"\nhosts = \"all\"\n",
       "fq.toml:4: queues.b.hosts: a virtual queue has the nodes of its parent"},
      {"[queues.a]\n[queues.b]\nparent = \"a\"\npolicy.scheduler.tier = 1\n",
       "fq.toml:4: queues.b.policy.scheduler: a virtual queue is served by the scheduler of its parent"},
      {"[queues.all]\n", "fq.toml:1: queues.all: 'all' stands for every queue and cannot be the name of one"},
      {"[queues.\"a b\"]\n",
       "fq.toml:1: queues.a b: the name of a queue has no blanks and none of , @ * + ^ / ="},
      {"[queues.\"a|b\"]\n", "fq.toml:1: queues.a|b: property 'a|b' has the illegal character '|'"},
      {"[queues.-x]\n", "fq.toml:1: queues.-x: the name of a queue cannot begin with '-'"},
      {"[queues.\"\"]\n", "fq.toml:1: queues.: a queue needs a name"},
  };
  for (const auto& row : kTable) EXPECT_EQ(failure(row.text), row.expected) << row.text;
}

}  // namespace
}  // namespace fq::document
