#include "process/machine/numa.h"

#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fq::process {
namespace {

using notation::Idset;

class Numa : public testing::Test {
 protected:
  // A machine of which node i has those CPUs.
  std::string machine(const std::string& memory, std::initializer_list<const char*> cpus) {
    const std::string sysfs = directory_.path();
    write_file(sysfs + "/has_memory", memory + "\n");
    int node = 0;
    for (const char* list : cpus) {
      const std::string of_node = sysfs + "/node" + std::to_string(node++);
      make_directory(of_node);
      write_file(of_node + "/cpulist", std::string{list} + "\n");
    }
    return sysfs;
  }
  static std::string nodes(const std::string& cpus, const std::string& sysfs) {
    return numa_nodes_of(Idset::decode(cpus), read_numa_map(sysfs)).encode();
  }
  test::TempDirectory directory_;
};

TEST_F(Numa, nodes_are_those_of_the_cpus) {
  const std::string sysfs = machine("0-3", {"0-3,16-19", "4-7", "8-11", "12-15"});
  EXPECT_EQ(nodes("0", sysfs), "0");
  EXPECT_EQ(nodes("8-9,17", sysfs), "0,2");
  EXPECT_EQ(nodes("3-12", sysfs), "");  // all of them
  EXPECT_EQ(nodes("64", sysfs), "");
}

TEST_F(Numa, nodes_without_memory_are_none) {
  EXPECT_EQ(nodes("0", machine("0,2", {"0-3", "4-7", "8-11"})), "0");
  EXPECT_EQ(nodes("4", directory_.path()), "");
}

TEST_F(Numa, one_node_is_no_choice) {
  EXPECT_EQ(nodes("0", machine("0", {"0-3"})), "");
  EXPECT_EQ(nodes("0", directory_.path() + "/nowhere"), "");
}

// What the kernel says of a thread that takes its memory from node 0; nothing where it forbids that.
std::optional<std::string> policy_of_thread(MemoryFrom from) {
  std::optional<std::string> policy;
  std::thread([&] {
    if (!take_memory_from(Idset{0}, from)) return;
    std::ifstream maps{"/proc/thread-self/numa_maps"};
    std::string line;
    std::getline(maps, line);
    const std::size_t begin = line.find(' ') + 1;
    policy = line.substr(begin, line.find(":0 ") + 2 - begin);
  }).join();
  return policy;
}

TEST_F(Numa, the_kernel_is_told) {
  const auto bound = policy_of_thread(MemoryFrom::nodes_only);
  if (!bound) GTEST_SKIP() << "no policy may be set here: " << std::strerror(errno);
  EXPECT_EQ(bound, "bind:0");
  EXPECT_EQ(policy_of_thread(MemoryFrom::nodes_first).value_or("prefer (many):0"), "prefer (many):0");
}

}  // namespace
}  // namespace fq::process
