#include "sim/generate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::sim {
namespace {

Generation machine(std::size_t jobs, std::uint64_t seed) {
  Generation wanted;
  wanted.jobs = jobs;
  wanted.nodes = 128;
  wanted.processors = 128;
  wanted.seed = seed;
  return wanted;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

TEST(Generate, the_same_seed_gives_the_same_workload_and_another_one_another) {
  const std::string first = write_trace(generate(machine(500, 7)), "seed 7");
  EXPECT_EQ(write_trace(generate(machine(500, 7)), "seed 7"), first);
  EXPECT_NE(write_trace(generate(machine(500, 8)), "seed 7"), first);
}

TEST(Generate, what_is_written_reads_back) {
  // The format has all that the generator makes.
  const Trace made = generate(machine(300, 1));
  const Trace read = read_trace(write_trace(made, "a workload"));
  EXPECT_EQ(read.max_nodes, 128U);
  EXPECT_EQ(read.max_processors, 128U);
  EXPECT_TRUE(read.damaged.empty());
  ASSERT_EQ(read.jobs.size(), made.jobs.size());
  for (std::size_t i = 0; i < made.jobs.size(); ++i) {
    EXPECT_EQ(read.jobs[i].id, made.jobs[i].id);
    EXPECT_EQ(read.jobs[i].submit, made.jobs[i].submit);
    EXPECT_EQ(read.jobs[i].runtime, made.jobs[i].runtime);
    EXPECT_EQ(read.jobs[i].limit, made.jobs[i].limit);
    EXPECT_EQ(read.jobs[i].processors, made.jobs[i].processors);
    EXPECT_EQ(read.jobs[i].user, made.jobs[i].user);
  }
}

TEST(Generate, jobs_are_as_the_model_says) {
  // Sizes, run times and the load of 20 000 jobs, beside the figures of the model.
  const Generation wanted = machine(20'000, 3);
  const Trace trace = generate(wanted);
  double serial = 0, powers = 0, parallel = 0, work = 0;
  std::vector<double> runtimes;
  std::map<std::int64_t, int> users;
  double last = 0;
  for (const TraceJob& job : trace.jobs) {
    ASSERT_GE(job.submit, last);
    last = job.submit;
    ASSERT_GE(job.processors, 1U);
    ASSERT_LE(job.processors, wanted.processors);
    ASSERT_GE(job.limit, job.runtime);
    ASSERT_GE(job.runtime, 1);
    runtimes.push_back(job.runtime);
    work += job.runtime * job.processors;
    ++users[job.user];
    if (job.processors == 1) {
      ++serial;
    } else {
      ++parallel;
      if ((job.processors & (job.processors - 1)) == 0) ++powers;
    }
  }
  EXPECT_NEAR(serial / 20'000, 0.244, 0.02);
  // Those rounded to a power of two, and those that come to one by themselves.
  EXPECT_GT(powers / parallel, 0.576);
  EXPECT_LT(powers / parallel, 0.8);
  EXPECT_GT(median(runtimes), 60);
  EXPECT_LT(median(runtimes), 1200);
  EXPECT_NEAR(work / (last * static_cast<double>(wanted.processors)), wanted.load, 0.05);
  // The first user submits most.
  for (const auto& [user, jobs] : users) EXPECT_LE(jobs, users[1]);
  EXPECT_EQ(users.size(), wanted.users);
}

TEST(Generate, nights_are_quiet) {
  // Few come in the quiet hours: between the busiest and the quietest quarter of a day is a factor of three.
  const Trace trace = generate(machine(20'000, 5));
  std::vector<double> quarters(4);
  for (const TraceJob& job : trace.jobs) {
    ++quarters[static_cast<std::size_t>(std::fmod(job.submit, 86400.0) / 21600)];
  }
  const auto [least, most] = std::minmax_element(quarters.begin(), quarters.end());
  EXPECT_GT(*most, 3 * *least);
}

TEST(Generate, refuses_what_is_no_machine) {
  Generation wanted = machine(1, 1);
  wanted.processors = 0;
  EXPECT_EQ(error_text([&] { (void)generate(wanted); }), "a workload needs a machine with processors");
  wanted = machine(1, 1);
  wanted.load = 0;
  EXPECT_EQ(error_text([&] { (void)generate(wanted); }), "load 0: expected a number greater than 0");
  EXPECT_TRUE(generate(machine(0, 1)).jobs.empty());
}

}  // namespace
}  // namespace fq::sim
