// Workloads in pretended time.

#include <gtest/gtest.h>

#include "sim/machine.h"
#include "sim/summary.h"
#include "sim/support.h"
#include "sim/trace.h"

namespace fq::sim {
namespace {

using test::configuration;

// One job: number, submitted, run time, processors, limit, user, queue.
std::string line(int id, int submit, int runtime, int processors, int limit, int user = 1, int queue = 1) {
  return fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 {} 1 -1 {} -1 -1 -1\n", id, submit, runtime, processors,
                     processors, limit, user, queue);
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
  EXPECT_EQ(trace.left_out, (std::map<std::string, std::uint64_t>{{"no run time or no processors", 1}}));
  EXPECT_EQ(fmt::format("{}", fmt::join(trace.damaged, "\n")),
            "line 5: expected 18 numbers, got 3\nline 7: -4 is no time of submission\nline 9: job 2 is there "
            "already\n"
            "line 10: expected a number, got 'x'");
}

TEST(Machine, jobs_wait_and_run_as_the_scheduler_has_it) {
  const Trace trace = read_trace(line(1, 0, 100, 3, 100) + line(2, 1, 50, 4, 50) + line(3, 2, 90, 1, 90) +
                                 line(4, 3, 10, 9, 10));
  const Outcome easy = simulate(trace, configuration("{}", 2, 2));
  EXPECT_EQ(starts(easy), "1@0-100 3@2-92 2@100-150 ");
  ASSERT_EQ(easy.denied.size(), 1U);
  EXPECT_EQ(easy.denied[0].note, "unsatisfiable request: 9 cores requested, the inventory has 4");
  const std::string fcfs = R"({"policy":{"scheduler":{"name":"fcfs"}}})";
  EXPECT_EQ(starts(simulate(trace, configuration(fcfs, 2, 2))), "1@0-100 2@100-150 3@150-240 ");
}

TEST(Machine, the_number_of_a_queue_is_its_place_by_name) {
  // Each on nodes of its own; one that ends early makes room early.
  const std::string two = R"({"policy":{"jobspec":{"defaults":{"system":{"queue":"b"}}}},
                              "queues":{"a":{"hosts":"n0"},"b":{"hosts":"n1"}}})";
  const Trace trace = read_trace(line(1, 0, 10, 2, 100, 1, 1) + line(2, 0, 10, 2, 100, 1, 2) +
                                 line(3, 1, 10, 1, 100, 1, 1) + line(4, 1, 10, 1, 100, 1, 77));
  SimulateOptions options;
  options.keep_resources = true;
  const Outcome outcome = simulate(trace, configuration(two, 2, 2), options);
  EXPECT_EQ(starts(outcome), "1@0-10 2@0-10 3@10-20 4@10-20 ");
  EXPECT_EQ(outcome.runs[2].R.summary(), "rank0/core0");
  EXPECT_EQ(outcome.runs[3].R.summary(), "rank1/core0");
}

TEST(Machine, who_is_in_a_group_may_use_what_the_group_may) {
  const Trace trace = read_job_table(
      "job,submit,runtime,user,groups,queue\n"
      "1,0,10,ada,staff admins,own\n"
      "2,0,10,bob,guests,own\n"
      "3,5,10,ada,,own\n");
  const std::string own = R"({"queues":{"own":{"policy":{"access":{"allow-group":["admins"]}}}}})";
  const Outcome outcome = simulate(trace, configuration(own, 1, 4));
  EXPECT_EQ(starts(outcome), "1@0-10 3@5-15 ");
  ASSERT_EQ(outcome.denied.size(), 1U);
  EXPECT_EQ(outcome.denied[0].note, "user 'bob' may not use queue 'own'");
}

TEST(Machine, what_preemption_costs_is_counted) {
  const Trace trace = read_job_table(
      "job,submit,runtime,limit,slots,qos\n"
      "1,0,100,100,4,standby\n"
      "2,70,50,50,2,\n");
  const Outcome outcome =
      simulate(trace, configuration(R"({"policy":{"scheduler":{"preempt":["standby"]}}})", 1, 4));
  EXPECT_EQ(starts(outcome), "1@0-70 2@70-120 1@120-220 ");
  const Summary summary = summarise(outcome);
  EXPECT_EQ(summary.all.jobs, 2U);
  EXPECT_EQ(summary.preemptions, 1U);
  EXPECT_EQ(summary.lost_core_seconds, 280);
  EXPECT_EQ(to_json(summary).at("preemptions"), 1);
}

TEST(Trace, a_table_names_its_columns_and_damaged_rows_are_left_out) {
  const Trace trace = read_job_table(
      "submit,job,runtime,slots,cores,gpus,nodes,exclusive,queue,user,urgency,requires,dependency\n"
      "0,1,3,,,,,,,7\n"
      "5,2,10,2,4,1,2,1,batch,ada,20,gpu and -slow,afterok:1\n"
      "0,3,1,1,1,0,0,0,q,u,16,,afterok:9\n"
      "0,4,x\n0,5,1,0\n0,2,1\n0,6,1,1,1,0,0,1\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].user, 7);
  const TraceJob& job = trace.jobs[1];
  EXPECT_EQ(job.id, 2U);
  EXPECT_EQ(job.processors * 100 + job.cores * 10 + job.gpus, 241U);
  EXPECT_TRUE(job.exclusive);
  EXPECT_EQ(job.queue_name, "batch");
  EXPECT_EQ(job.urgency, 20);
  EXPECT_EQ(job.constraint, R"({"and":[{"properties":["gpu"]},{"not":[{"properties":["slow"]}]}]})");
  EXPECT_EQ(trace.names.front().second, "ada");
  EXPECT_EQ(fmt::format("{}", fmt::join(trace.damaged, "\n")),
            "line 4: dependency 'afterok:9': no such job came before\n"
            "line 5: runtime: expected a number from 0 to 1000000000000000, got 'x'\n"
            "line 6: slots: expected a whole number from 1 to 1000000, got '0'\n"
            "line 7: job 2 is there already\n"
            "line 8: exclusive: expected a number of nodes, too");
}

TEST(Summary, adds_up_waits_and_use) {
  const Trace trace =
      read_trace(line(1, 0, 100, 4, 100) + line(2, 0, 100, 4, 100, 2) + line(3, 0, 5, 4, 5, 2));
  const Summary summary = summarise(simulate(trace, configuration("{}", 2, 2)));
  EXPECT_EQ(summary.all.jobs, 3U);
  EXPECT_EQ(summary.all.wait.mean, 100);
  EXPECT_EQ(summary.all.wait.median, 100);
  EXPECT_EQ(summary.all.wait.p95, 200);
  EXPECT_EQ(summary.all.slowdown.max, 20.5);
  EXPECT_EQ(summary.makespan, 205);
  EXPECT_EQ(summary.all.utilisation, 1);
  EXPECT_EQ(summary.users.at(2).jobs, 2U);
}

}  // namespace
}  // namespace fq::sim
