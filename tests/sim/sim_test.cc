// Workloads in pretended time.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "document/config.h"
#include "sched/factory.h"
#include "sim/machine.h"
#include "sim/summary.h"
#include "sim/trace.h"

namespace fq::sim {
namespace {

using document::ResourceSet;

// One job: number, submitted, run time, processors, limit, user, queue.
std::string line(int id, int submit, int runtime, int processors, int limit, int user = 1, int queue = 1) {
  return fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 {} 1 -1 {} -1 -1 -1\n", id, submit, runtime, processors,
                     processors, limit, user, queue);
}

document::Config configuration(const nlohmann::json& document, std::uint32_t cores) {
  const auto nodes =
      ResourceSet::uniform(notation::Idset::from_range(0, 1), notation::Hostlist::decode("n[0-1]"),
                           notation::Idset::from_range(0, cores - 1), {});
  return document::read_config(
      document, nullptr, nodes,
      {[](const nlohmann::json& table) { return sched::read_parameters(table).tier; }, [](const auto&) {},
       [](const auto&) {}, [](const auto&) {}});
}

std::string starts(const Outcome& outcome) {
  std::string text;
  for (const JobRun& run : outcome.runs) text += fmt::format("{}@{}-{} ", run.id, run.start, run.end);
  return text;
}

TEST(Trace, is_read_line_by_line_and_what_is_damaged_is_left_out) {
  const Trace trace = read_trace("; MaxNodes: 2\n;  MaxProcs: 8\n\n" + line(2, 5, 10, 3, 20) + "1 2 3\n" +
                                 line(1, 0, 30, 4, 20, 7, 2) + line(3, -4, 1, 1, 1) + line(4, 1, -1, 1, 1) +
                                 line(2, 9, 1, 1, 1) + "5 x -1 1 1 -1 -1 1 1 -1 1 1 1 -1 1 -1 -1 -1");
  EXPECT_EQ(trace.max_nodes, 2U);
  EXPECT_EQ(trace.max_processors, 8U);
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].id, 1U);
  EXPECT_EQ(trace.jobs[0].runtime, 20) << "it ends at its limit";
  EXPECT_EQ(trace.jobs[0].user, 7);
  EXPECT_EQ(trace.jobs[1].processors, 3U);
  EXPECT_EQ(trace.incomplete, 1U);
  EXPECT_EQ(fmt::format("{}", fmt::join(trace.damaged, "\n")),
            "line 5: expected 18 numbers, got 3\nline 7: -4 is no time of submission\nline 9: job 2 is there "
            "already\n"
            "line 10: expected a number, got 'x'");
}

TEST(Machine, jobs_wait_and_run_as_the_scheduler_has_it) {
  const Trace trace = read_trace(line(1, 0, 100, 3, 100) + line(2, 1, 50, 4, 50) + line(3, 2, 90, 1, 90) +
                                 line(4, 3, 10, 9, 10));
  const Outcome easy = simulate(trace, configuration(nlohmann::json::object(), 2));
  EXPECT_EQ(starts(easy), "1@0-100 3@2-92 2@100-150 ");
  ASSERT_EQ(easy.denied.size(), 1U);
  EXPECT_EQ(easy.denied[0].note, "unsatisfiable request: 9 cores requested, the inventory has 4");
  const nlohmann::json fcfs = {{"policy", {{"scheduler", {{"name", "fcfs"}}}}}};
  EXPECT_EQ(starts(simulate(trace, configuration(fcfs, 2))), "1@0-100 2@100-150 3@150-240 ");
}

TEST(Machine, the_number_of_a_queue_is_its_place_by_name) {
  // Each on nodes of its own; one that ends early makes room early.
  const nlohmann::json two = {{"policy", {{"jobspec", {{"defaults", {{"system", {{"queue", "b"}}}}}}}}},
                              {"queues", {{"a", {{"hosts", "n0"}}}, {"b", {{"hosts", "n1"}}}}}};
  const Trace trace = read_trace(line(1, 0, 10, 2, 100, 1, 1) + line(2, 0, 10, 2, 100, 1, 2) +
                                 line(3, 1, 10, 1, 100, 1, 1) + line(4, 1, 10, 1, 100, 1, 77));
  const Outcome outcome = simulate(trace, configuration(two, 2));
  EXPECT_EQ(starts(outcome), "1@0-10 2@0-10 3@10-20 4@10-20 ");
  EXPECT_EQ(outcome.runs[2].R.summary(), "rank0/core0");
  EXPECT_EQ(outcome.runs[3].R.summary(), "rank1/core0");
}

TEST(Summary, adds_up_waits_and_use) {
  const Trace trace =
      read_trace(line(1, 0, 100, 4, 100) + line(2, 0, 100, 4, 100, 2) + line(3, 0, 5, 4, 5, 2));
  const Summary summary = summarise(simulate(trace, configuration(nlohmann::json::object(), 2)));
  EXPECT_EQ(summary.all.jobs, 3U);
  EXPECT_EQ(summary.all.wait.mean, 100);
  EXPECT_EQ(summary.all.wait.median, 100);
  EXPECT_EQ(summary.all.wait.p95, 200);
  EXPECT_EQ(summary.all.slowdown.max, 20.5);
  EXPECT_EQ(summary.makespan, 205);
  EXPECT_EQ(summary.utilisation, 1);
  EXPECT_EQ(summary.users.at(2).jobs, 2U);
}

}  // namespace
}  // namespace fq::sim
