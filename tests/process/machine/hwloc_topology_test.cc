// What hwloc tells of this machine, and of one that it wrote down.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "base/file.h"
#include "process/machine/affinity.h"
#include "process/machine/cpu_map.h"
#include "process/machine/hwloc_topology.h"
#include "process/machine/topology.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::process {
namespace {

/// hwloc_resources, without blame for what the drivers that hwloc loads do not give back.
document::ResourceSet probe() {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler drivers;
#endif
  return hwloc_resources(/*restricted=*/true);
}

TEST(HwlocTopology, finds_this_host) {
  // The inventory has this host and the cores that hwloc and the shell's own numbering agree on.
  const auto found = probe();
  ASSERT_EQ(found.nnodes(), 1U);
  EXPECT_EQ(found.nodes()[0].host, host_name());
  EXPECT_EQ(host_name().find('.'), std::string::npos);
  const auto map = read_cpu_map();
  ASSERT_FALSE(map.empty());
  EXPECT_EQ(cpus_of(found.nodes()[0].cores, map).intersect(current_affinity()), current_affinity());
}

TEST(HwlocTopology, respects_the_affinity_of_who_asks) {
  // Bound to one CPU, a process finds that CPU's core alone, under its number in the whole machine.
  const auto map = read_cpu_map();
  const notation::Idset allowed = current_affinity();
  const pid_t child = ::fork();
  if (child == 0) {
    set_affinity(notation::Idset{allowed.last()});
    const auto cores = probe().nodes()[0].cores;
    ::_exit(cores.count() == 1 && map[cores.first()].contains(allowed.last()) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(HwlocTopology, reads_another_machine_from_xml) {
  // Cores are counted over the whole machine, GPUs as hwloc knew them there; what is no topology is refused.
  const auto found = hwloc_resources_in(read_file(test_data("hwloc/six-cores-two-gpus.xml")));
  EXPECT_EQ(found.summary(), "rank0/core[0-5],gpu[0-1]");
  EXPECT_EQ(found.nodelist(), host_name());
  // All cores are as near to one as to the other.
  EXPECT_EQ(found.scheduling, "");
  const std::string none = "not an hwloc topology in XML";
  EXPECT_EQ(error_text([] { return hwloc_resources_in(""); }), none);
  EXPECT_EQ(error_text([] { return hwloc_resources_in("<topology"); }), none);
  EXPECT_EQ(error_text([] { return hwloc_resources_in("<xml/>"); }), none);
}

TEST(HwlocTopology, knows_which_cores_are_near_which_gpu) {
  // Two packages with a bus of their own each, as two sockets have.
  const auto found = hwloc_resources_in(read_file(test_data("hwloc/two-packages-two-gpus.xml")));
  EXPECT_EQ(found.summary(), "rank0/core[0-5],gpu[0-1]");
  EXPECT_EQ(found.scheduling,
            fmt::format(R"({{"near":{{"{}":{{"0":"0-2","1":"3-5"}}}},"writer":"fq"}})", host_name()));
}

}  // namespace
}  // namespace fq::process
