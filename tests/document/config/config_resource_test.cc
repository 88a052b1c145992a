// The table `resource`: what nodes a configuration gives, and which it keeps out of use.

#include "document/config/config_resource.h"

#include <gtest/gtest.h>

#include "document/config/config.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

std::optional<ResourceSet> nodes_of(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  return configured_nodes(ConfigAt(source.document(), &source), [](const std::string& path) -> std::string {
    if (path == "jgf.json") return R"({"writer":"file:x","graph":[1]})";
    if (path == "odd.json") return "[]";
    if (path != "R.json") throw error(Kind::not_found, "cannot open '{}'", path);
    return R"({"version":1,"execution":{"R_lite":[{"rank":"7-8","children":{"core":"0-1"}}],)"
           R"("nodelist":["a[0-1]"],"properties":{"big":"8","+batch":"7"}}})";
  });
}

std::string nodes(const std::string& text) {
  const auto set = nodes_of(text);
  return set ? set->encode() : "none";
}

std::string excluded(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  return read_config(source.document(), &source,
                     *nodes_of("[[resource.config]]\nhosts='n[0-3]'\ncores='0'\n"),
                     {[](const nlohmann::json&) { return SchedulerFacts{}; }, [](const nlohmann::json&) {},
                      [](const nlohmann::json&) {}, [](const nlohmann::json&) {}})
      .excluded.encode();
}

TEST(ConfigResource, hosts_may_stand_in_several_tables) {
  // What they have is put together; ranks follow the order in which hosts come.
  EXPECT_EQ(
      nodes(R"(
[[resource.config]]
hosts = "n[2-3]"
cores = "0-3"
gpus = "0"
[[resource.config]]
hosts = "n[1-2]"
cores = "4-5"
properties = ["fast", "big"]
)"),
      R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-5","gpu":"0"}},)"
      R"({"rank":"1","children":{"core":"0-3","gpu":"0"}},{"rank":"2","children":{"core":"4-5"}}],)"
      R"("starttime":0.0,"expiration":0.0,"nodelist":["n[2-3,1]"],"properties":{"big":"0,2","fast":"0,2"}}})");
  EXPECT_EQ(nodes("[resource]\nexclude = 'n1'\n") + nodes(""), "nonenone");
}

TEST(ConfigResource, a_file_has_the_nodes) {
  // Ranks are counted anew, the membership of queues is not taken over.
  EXPECT_EQ(nodes("resource.path = 'R.json'\n"),
            R"({"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-1"}}],)"
            R"("starttime":0.0,"expiration":0.0,"nodelist":["a[0-1]"],"properties":{"big":"1"}}})");
}

TEST(ConfigResource, what_a_scheduler_wants_to_know_of_them_comes_from_a_file) {
  // It rides along untouched.
  EXPECT_EQ(nodes_of("[resource]\npath = 'R.json'\nscheduling = 'jgf.json'\n")->scheduling,
            R"({"graph":[1],"writer":"file:x"})");
}

TEST(ConfigResource, what_is_said_of_a_machine_is_compared_with_it) {
  // Cores and GPUs that it lacks are a mistake; those that nobody speaks of are none, nor are other hosts.
  ResourceSet machine;
  machine.add({0, "here", notation::Idset::decode("0-3"), notation::Idset::decode("0")});
  const auto verify = [&](const std::string& text) {
    const ConfigSource source({ConfigSource::File{"fq.toml", text}});
    const ConfigAt root(source.document(), &source);
    return error_text([&] { verify_nodes(root, *nodes_of(text), machine); });
  };
  EXPECT_EQ(verify("[[resource.config]]\nhosts = 'here,there'\ncores = '1-2'\n"), "no error");
  EXPECT_EQ(verify("[[resource.config]]\nhosts = 'there'\ncores = '0-99'\n"), "no error");
  EXPECT_EQ(verify("[[resource.config]]\nhosts = 'there,here'\ncores = '0-5'\ngpus = '0-1'\n"),
            "fq.toml:1: resource.config: host 'here' is this machine, which does not have core[4-5],gpu1 "
            "(resource.noverify = true lets it stand)");
}

TEST(ConfigResource, how_a_machine_is_looked_at) {
  // Restricted and verified where nothing is said.
  const auto probe = [](const std::string& text) {
    const ConfigSource source({ConfigSource::File{"fq.toml", text}});
    const ProbeConfig read = read_probe(ConfigAt(source.document(), &source));
    return fmt::format("{} {}", read.restricted, read.verified);
  };
  EXPECT_EQ(probe(""), "true true");
  EXPECT_EQ(probe("resource.norestrict = false\n"), "true true");
  EXPECT_EQ(probe("[resource]\nnorestrict = true\nnoverify = true\n"), "false false");
}

TEST(ConfigResource, what_is_no_set_of_nodes_is_named) {
  // By file, line and key, that of an array with its number.
  const auto failure = [](const std::string& text) { return error_text([&] { return nodes(text); }); };
  const struct {
    std::string text, expected;
  } kTable[] = {
      {"resource = 1\n", "fq.toml:1: resource: expected a table, got an integer"},
      {"[resource]\nreserve = '0'\n",
       "fq.toml:2: resource.reserve: unknown key (one of config, exclude, norestrict, noverify, path, "
       "scheduling)"},
      {"[resource]\nnorestrict = 1\n",
       "fq.toml:2: resource.norestrict: expected true or false, got an integer"},
      {"[resource]\nnoverify = 'no'\n", "fq.toml:2: resource.noverify: expected true or false, got a string"},
      {"[resource]\nscheduling = 'jgf.json'\n",
       "fq.toml:2: resource.scheduling: it is told of nodes that resource.config or resource.path gives"},
      {"[resource]\npath = 'R.json'\nscheduling = 'odd.json'\n",
       "fq.toml:3: resource.scheduling: scheduling: expected an object, got an array"},
      {"resource.config = 1\n", "fq.toml:1: resource.config: expected an array of tables, got an integer"},
      {"resource.config = []\n", "fq.toml:1: resource.config: it has no nodes"},
      {"resource.config = [1]\n", "fq.toml:1: resource.config[0]: expected a table, got an integer"},
      {"[[resource.config]]\ncores = '0'\n", "fq.toml:1: resource.config[0]: hosts is missing"},
      {"[[resource.config]]\nhosts = 'a'\n", "fq.toml:1: resource.config: host 'a' has no cores"},
      {"[[resource.config]]\nhosts = 'a[0-1'\ncores = '0'\n",
       "fq.toml:2: resource.config[0].hosts: invalid hostlist 'a[0-1': expected '-', ',' or ']' at character "
       "6"},
      {"[[resource.config]]\nhosts = 'a,b,a'\ncores = '0'\n",
       "fq.toml:2: resource.config[0].hosts: a host is named twice"},
      {"[[resource.config]]\nhosts = 'a'\ncores = '0'\n[[resource.config]]\nhosts = 'b'\ncores = '3-1'\n",
       "fq.toml:6: resource.config[1].cores: invalid idset '3-1': range '3-1' does not ascend at character "
       "1"},
      {"[[resource.config]]\nhosts = 'a'\ncores = 4\n",
       "fq.toml:3: resource.config[0].cores: expected a string, got an integer"},
      {"[[resource.config]]\nhosts = 'a'\ncore = '0'\n",
       "fq.toml:3: resource.config[0].core: unknown key (did you mean 'cores'?)"},
      {"[[resource.config]]\nhosts = 'a'\ncores = '0'\nproperties = ['x|y']\n",
       "fq.toml:4: resource.config[0].properties: property 'x|y' has the illegal character '|'"},
      {"[[resource.config]]\nhosts = 'a'\ncores = '0'\nproperties = ['+x']\n",
       "fq.toml:4: resource.config[0].properties: properties that begin with + are those of queues"},
      {"[[resource.config]]\nhosts = 'n[0-300000]'\ncores = '0'\n",
       "fq.toml:2: resource.config[0].hosts: more than 262144 nodes"},
      {"resource.path = 'x'\n", "fq.toml:1: resource.path: cannot open 'x'"},
      {"[resource]\npath = 'R.json'\nconfig = []\n",
       "fq.toml:2: resource.path: the nodes are those of resource.config"},
  };
  for (const auto& row : kTable) EXPECT_EQ(failure(row.text), row.expected) << row.text;
}

TEST(ConfigResource, nodes_are_excluded_by_rank_or_name) {
  // They must be there.
  const auto failure = [](const std::string& text) { return error_text([&] { return excluded(text); }); };
  EXPECT_EQ(excluded("resource.exclude = '1-2'\n"), "1-2");
  EXPECT_EQ(excluded("resource.exclude = 'n[0,3]'\n"), "0,3");
  EXPECT_EQ(excluded("resource.exclude = ''\n"), "");
  EXPECT_EQ(failure("resource.exclude = '2-4'\n"),
            "fq.toml:1: resource.exclude: there is no node of rank 4 (ranks are 0-3)");
  EXPECT_EQ(failure("resource.exclude = 'm1'\n"),
            "fq.toml:1: resource.exclude: there is no node 'm1' (the nodes are n[0-3])");
  EXPECT_EQ(failure("resource.exclude = '0-3'\n"), "fq.toml:1: resource.exclude: no nodes would be left");
  EXPECT_EQ(failure("resource.exclude = 1\n"),
            "fq.toml:1: resource.exclude: expected a string, got an integer");
}

}  // namespace
}  // namespace fq::document
