// Processes: identity, detached starts, baseline, CPU numbering, resources of this host.

#include <array>
#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "process/machine/affinity.h"
#include "process/machine/baseline.h"
#include "process/machine/cpu_map.h"
#include "process/machine/topology.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"
#include "process/tree/process_id.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

TEST(ProcessId, is_pid_and_start_time) {
  // A process opens with its own start time only, whatever its name looks like.
  const auto self = read_process_stat(::getpid());
  ASSERT_TRUE(self.has_value());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_EQ(self->session, ::getsid(0));
  EXPECT_TRUE(open_process(*self).valid());
  EXPECT_FALSE(open_process({::getpid(), self->start_time + 1}).valid());
  EXPECT_FALSE(read_process_stat(2'000'000'000).has_value());
  EXPECT_FALSE(send_signal(open_process({2'000'000'000, 1}), SIGTERM));
  const TempDir dir;
  const std::string odd = dir.path() + "/a) R 1 (";
  std::filesystem::copy_file("/bin/sleep", odd);
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(odd.c_str(), "sleep", "1000", nullptr);
    ::_exit(127);
  }
  while (std::filesystem::read_symlink(fmt::format("/proc/{}/exe", child)) != odd) ::sched_yield();
  const auto stat = read_process_stat(child);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->parent, ::getpid());
  EXPECT_TRUE(send_signal(open_process(*stat), SIGKILL));
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessId, reads_the_environment_of_others) {
  // A variable is found by the start of its entry, not in the middle of another.
  const pid_t child = ::fork();
  if (child == 0) {
    char* const arguments[] = {const_cast<char*>("sleep"), const_cast<char*>("1000"), nullptr};
    char* const environment[] = {const_cast<char*>("A=1"), const_cast<char*>("MARK=x.2"), nullptr};
    ::execve("/bin/sleep", arguments, environment);
    ::_exit(127);
  }
  while (!environment_has(child, "A=")) ::sched_yield();
  EXPECT_TRUE(environment_has(child, "MARK=x."));
  EXPECT_TRUE(environment_has(child, "A="));
  EXPECT_FALSE(environment_has(child, "ARK="));
  EXPECT_FALSE(environment_has(child, "MARK=y"));
  EXPECT_EQ(arguments(child), (std::vector<std::string>{"sleep", "1000"}));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(environment_has(2'000'000'000, "A="));
  EXPECT_TRUE(arguments(2'000'000'000).empty());
}

TEST(Detach, runs_and_waits) {
  // A program's status comes back, its environment is a clean one, and a missing program is an error.
  const std::vector<std::string> script{"sh", "-c",
                                        "[ \"$(env | grep -vE '^(PWD|_|SHLVL|OLDPWD)=')\" = "
                                        "PATH=/usr/local/bin:/usr/bin:/bin ] && exit 7"};
  EXPECT_EQ(run_and_wait("/bin/sh", script), 7 << 8);
  const std::vector<std::string> stop{"sh", "-c", "kill -9 $$"};
  EXPECT_EQ(run_and_wait("/bin/sh", stop), SIGKILL);
  EXPECT_THROW((void)run_and_wait("/no/program", stop), Error);
}

TEST(Detach, passes_one_descriptor_and_no_more) {
  // The program finds the passed file as descriptor 3, /dev/null as 0 to 2, and nothing else open.
  const TempDir dir;
  const std::string fifo = dir.path() + "/fifo";
  ::mkfifo(fifo.c_str(), 0600);
  const std::string file = dir.path() + "/file";
  write_file(file, "");
  const UniqueFd extra{::open("/dev/null", O_RDONLY)};
  const UniqueFd passed = open_file(file, O_RDWR);
  // The fourth is the directory that ls reads.
  const std::vector<std::string> script{"sh", "-c",
                                        "(readlink /proc/self/fd/0 /proc/self/fd/2 /proc/self/fd/3; "
                                        "ls -C -w 200 /proc/self/fd; pwd; umask) > " +
                                            fifo};
  const pid_t pid = start_detached("/bin/sh", script, std::array{passed.get()});
  EXPECT_GT(pid, 0);
  EXPECT_EQ(read_file(fifo), "/dev/null\n/dev/null\n" + file + "\n0  1  2  3  4\n/\n0077\n");
  int status = 0;
  ::waitpid(pid, &status, 0);
}

TEST(FindProgram, names_both_places) {
  // A helper that is nowhere is reported with the places where it was looked for.
  try {
    (void)find_program("fq-nothing");
    FAIL();
  } catch (const Error& failure) {
    const std::filesystem::path here = std::filesystem::path(self_program()).parent_path();
    EXPECT_EQ(std::string(failure.what()), "cannot find the program 'fq-nothing': neither '" +
                                               (here.parent_path() / "libexec/fq/fq-nothing").string() +
                                               "' nor '" + (here / "fq-nothing").string() +
                                               "' can be executed");
    EXPECT_EQ(failure.kind(), Kind::internal);
  }
  EXPECT_EQ(find_program(std::filesystem::path(self_program()).filename().string()), self_program());
}

/// Whether this process has CAP_SYS_RESOURCE and CAP_SYS_NICE.
bool may_raise() {
  const std::string status = read_file("/proc/self/status");
  const std::uint64_t capabilities = std::strtoull(status.c_str() + status.find("CapEff:") + 7, nullptr, 16);
  return (capabilities >> 24 & 1U) != 0 && (capabilities >> 23 & 1U) != 0;
}

TEST(Baseline, comes_back_and_compares) {
  // A baseline equals itself after encoding; what differs is named, soft limits and login sessions are not.
  const Baseline now = Baseline::capture();
  EXPECT_EQ(Baseline::decode(now.encode()), now);
  EXPECT_TRUE(differences(now, now).empty());
  Baseline other = now;
  other.nice = now.nice + 5;
  other.oom_score_adj = now.oom_score_adj + 7;
  other.affinity = notation::Idset::decode("77");
  other.cgroup = "/user.slice/session-3.scope";
  for (Baseline::Limit& limit : other.limits) {
    if (limit.name == "nofile") limit.hard = 64;
    if (limit.name == "cpu") limit.hard = Baseline::kUnlimited;
    limit.soft = 1;
  }
  Baseline recorded = now;
  recorded.cgroup = "/user.slice/session-9.scope";
  for (Baseline::Limit& limit : recorded.limits) {
    if (limit.name == "cpu") limit.hard = 60;
    if (limit.name == "nofile") limit.hard = 1024;
  }
  std::string text;
  for (const std::string& difference : differences(other, recorded)) text += difference + "\n";
  EXPECT_EQ(
      text,
      fmt::format("cpu limit is unlimited, not 60\nnofile limit is 64, not 1024\nnice value is {}, not "
                  "{}\noom score is {}, not {}\naffinity is 77, not {}\n",
                  now.nice + 5, now.nice, now.oom_score_adj + 7, now.oom_score_adj, now.affinity.encode()));
  EXPECT_THROW((void)Baseline::decode("{}"), Error);
}

TEST(Baseline, is_restored_as_far_as_allowed) {
  // A process that was reniced, bound and limited comes back to the recorded values, or says what stays.
  const Baseline recorded = Baseline::capture();
  const pid_t child = ::fork();
  if (child == 0) {
    errno = 0;
    [[maybe_unused]] const int niced = ::nice(3);
    set_affinity(notation::Idset{recorded.affinity.first()});
    const rlimit cores{0, 0};
    ::setrlimit(RLIMIT_CORE, &cores);
    const rlimit files{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &files);
    const std::size_t before = differences(Baseline::capture(), recorded).size();
    const std::vector<std::string> left = restore(recorded);
    const bool affinity_back = current_affinity() == recorded.affinity;
    ::_exit(before >= 3 && affinity_back && (!may_raise() || left.empty()) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

class CpuMap : public testing::Test {
 protected:
  void add_cpu(int cpu, const std::string& core, const std::string& package) {
    const std::string directory = dir_.path() + "/cpu" + std::to_string(cpu);
    std::filesystem::create_directories(directory + "/topology");
    write_file(directory + "/topology/core_cpus_list", core + "\n");
    write_file(directory + "/topology/package_cpus_list", package + "\n");
  }
  std::string show() {
    std::string text;
    for (const auto& cpus : read_cpu_map(dir_.path())) text += cpus.encode() + " ";
    return text;
  }
  TempDir dir_;
};

TEST_F(CpuMap, numbers_cores_by_package_and_lowest_cpu) {
  // Hardware threads belong to one core; cores of one package come together though CPUs alternate.
  write_file(dir_.path() + "/online", "0-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4;
    add_cpu(cpu, fmt::format("{},{}", core, core + 4), core % 2 == 0 ? "0,2,4,6" : "1,3,5,7");
  }
  EXPECT_EQ(show(), "0,4 2,6 1,5 3,7 ");
  const auto map = read_cpu_map(dir_.path());
  EXPECT_EQ(cpus_of(notation::Idset::decode("1-2,99"), map).encode(), "1-2,5-6");
  EXPECT_TRUE(cpus_of(notation::Idset::decode("4-9"), map).empty());
}

TEST_F(CpuMap, does_without_what_sysfs_does_not_tell) {
  // No directory gives no map; a CPU without topology is a core of its own.
  EXPECT_EQ(show(), "");
  write_file(dir_.path() + "/online", "0,2\n");
  EXPECT_EQ(show(), "0 2 ");
  write_file(dir_.path() + "/online", "noise\n");
  EXPECT_EQ(show(), "");
}

TEST_F(CpuMap, is_cached_for_one_boot) {
  // The cache gives the machine's map again, and a damaged or older one is made anew.
  const std::string cache = dir_.path() + "/cpus";
  const auto map = cached_cpu_map(cache);
  EXPECT_EQ(map, read_cpu_map());
  EXPECT_EQ(cached_cpu_map(cache), map);
  write_file(cache, boot_id() + "\n5\n6\n");
  EXPECT_EQ(cached_cpu_map(cache).size(), 2U);
  write_file(cache, "another-boot\n5\n6\n");
  EXPECT_EQ(cached_cpu_map(cache), map);
  write_file(cache, boot_id() + "\nnoise\n");
  EXPECT_EQ(cached_cpu_map(cache), map);
  EXPECT_EQ(cached_cpu_map("/no/such/place/cpus"), map);
}

TEST(Topology, makes_test_nodes) {
  // An invented inventory has the nodes, cores and GPUs asked for.
  const auto made = make_test_nodes(12, 4, 1);
  EXPECT_EQ(made.nodelist(), "node[0-11]");
  EXPECT_EQ(made.summary(), "rank[0-11]/core[0-3],gpu0");
}

}  // namespace
}  // namespace fq::shell
