#include "document/jobspec/task_plan.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "support/test_job.h"

namespace fq::document {
namespace {

using nlohmann::json;

std::string show(const TaskPlan& plan) {
  std::string text;
  for (const PlannedNode& node : plan.nodes) {
    text += fmt::format("{}@{}:{} ", node.host, node.rank, node.ntasks);
  }
  text += "|";
  for (const PlannedTask& task : plan.tasks) {
    text += fmt::format(" {}={}.{}[{}]", task.rank, task.node, task.local_id, task.cores.encode());
    if (!task.gpus.empty()) text += fmt::format("({})", task.gpus.encode());
  }
  return text;
}

json node(const std::string& ranks, const std::string& cores, const std::string& gpus = "") {
  json entry{{"rank", ranks}, {"children", {{"core", cores}}}};
  if (!gpus.empty()) entry["children"]["gpu"] = gpus;
  return entry;
}

TEST(TaskPlan, R16_9_distributes_tasks_over_the_nodes_of_R) {
  // Each table row is a number of slots (or a total of tasks) over some R_lite, and the plan it gives.
  struct Case {
    const char* name;
    std::uint32_t nslots;
    json total;
    json R_lite;
    std::string nodelist;
    std::string plan;
  };
  const Case cases[] = {
      {"one task", 1, nullptr, {node("0", "3")}, "n0", "n0@0:1 | 0=0.0[3]"},
      {"two nodes, block order",
       4,
       nullptr,
       {node("0-1", "0-1")},
       "n[0-1]",
       "n0@0:2 n1@1:2 | 0=0.0[0] 1=0.1[1] 2=1.0[0] 3=1.1[1]"},
      {"unequal nodes get what they have cores for",
       4,
       nullptr,
       {node("3", "7"), node("5", "0-2")},
       "a,b",
       "a@3:1 b@5:3 | 0=0.0[7] 1=1.0[0] 2=1.1[1] 3=1.2[2]"},
      {"whole nodes: spread evenly, cores shared out",
       3,
       nullptr,
       {node("0-1", "0-3")},
       "n[0-1]",
       "n0@0:2 n1@1:1 | 0=0.0[0-1] 1=0.1[2-3] 2=1.0[0-3]"},
      {"more tasks than cores share them",
       1,
       3,
       {node("0", "0-1")},
       "n0",
       "n0@0:3 | 0=0.0[0] 1=0.1[0] 2=0.2[1]"},
      {"gpus are shared likewise",
       2,
       nullptr,
       {node("0", "0-1", "0-3")},
       "n0",
       "n0@0:2 | 0=0.0[0](0-1) 1=0.1[1](2-3)"},
      {"a node without a task", 1, nullptr, {node("0-1", "0")}, "n[0-1]", "n0@0:1 n1@1:0 | 0=0.0[0]"},
  };
  for (const Case& each : cases) {
    TestJob job;
    job.nslots = each.nslots;
    job.total = each.total;
    job.R_lite = each.R_lite;
    job.nodelist = each.nodelist;
    const auto jobspec = document::Jobspec::parse(job.jobspec());
    EXPECT_EQ(show(make_task_plan(jobspec, document::ResourceSet::parse(job.R()))), each.plan) << each.name;
  }
}

TEST(TaskPlan, per_resource_puts_tasks_on_each_node_or_core) {
  // The option per-resource decides how many tasks each node has, whatever the slots.
  TestJob job;
  job.R_lite = {node("0", "0-1"), node("1", "0-2")};
  job.nodelist = "n[0-1]";
  job.options = {{"per-resource", {{"type", "node"}, {"count", 2}}}};
  const auto R = document::ResourceSet::parse(job.R());
  EXPECT_EQ(show(make_task_plan(document::Jobspec::parse(job.jobspec()), R)),
            "n0@0:2 n1@1:2 | 0=0.0[0] 1=0.1[1] 2=1.0[0] 3=1.1[1-2]");
  job.options["per-resource"] = {{"type", "core"}, {"count", 1}};
  const TaskPlan plan = make_task_plan(document::Jobspec::parse(job.jobspec()), R);
  EXPECT_EQ(plan.tasks.size(), 5U);
  EXPECT_EQ(plan.taskmap.encode(), R"([[0,1,2,1],[1,1,3,1]])");
}

TEST(TaskPlan, a_map_gives_the_ranks) {
  // In turn, in turns of two, or as a map says, which may also say how many each node has.
  TestJob job;
  job.nslots = 4;
  job.R_lite = {node("0-1", "0-1")};
  job.nodelist = "n[0-1]";
  const auto R = document::ResourceSet::parse(job.R());
  const auto jobspec = document::Jobspec::parse(job.jobspec());
  using Scheme = TaskmapOption::Scheme;
  EXPECT_EQ(show(make_task_plan(jobspec, R, {Scheme::cyclic, 1, {}})),
            "n0@0:2 n1@1:2 | 0=0.0[0] 1=1.0[0] 2=0.1[1] 3=1.1[1]");
  EXPECT_EQ(show(make_task_plan(jobspec, R, {Scheme::cyclic, 2, {}})),
            "n0@0:2 n1@1:2 | 0=0.0[0] 1=0.1[1] 2=1.0[0] 3=1.1[1]");
  EXPECT_EQ(show(make_task_plan(jobspec, R, {Scheme::manual, 1, document::Taskmap::decode("1;0,2-3")})),
            "n0@0:1 n1@1:3 | 0=1.0[0] 1=0.0[0-1] 2=1.1[0] 3=1.2[1]");
  EXPECT_EQ(show(make_task_plan(jobspec, R, {Scheme::manual, 1, document::Taskmap::decode("0-3")})),
            "n0@0:4 n1@1:0 | 0=0.0[0] 1=0.1[0] 2=0.2[1] 3=0.3[1]");
  for (const char* wrong : {"0-2", "0;1;2-3"}) {
    EXPECT_THROW((void)make_task_plan(jobspec, R, {Scheme::manual, 1, document::Taskmap::decode(wrong)}),
                 Error)
        << wrong;
  }
}

TEST(TaskPlan, a_batch_job_has_one_task_on_its_first_node) {
  // It may use all of that node's cores and GPUs; the other nodes stay without tasks.
  TestJob job;
  job.R_lite = {node("0", "0-3", "0-1"), node("1", "0-3")};
  job.nodelist = "n[0-1]";
  job.options = {{"batch", 1}};
  const auto R = document::ResourceSet::parse(job.R());
  const TaskPlan plan = make_task_plan(document::Jobspec::parse(job.jobspec()), R);
  EXPECT_EQ(show(plan), "n0@0:1 n1@1:0 | 0=0.0[0-3](0-1)");
  EXPECT_EQ(plan.tasks[0].gpus.encode(), "0-1");
  EXPECT_EQ(plan.taskmap.ntasks(), 1U);
}

TEST(TaskPlan, refuses_what_one_shell_cannot_run) {
  // A job with an absurd number of tasks, or an empty R, is refused in words.
  TestJob job;
  job.total = 100'000;
  const auto R = document::ResourceSet::parse(job.R());
  try {
    (void)make_task_plan(document::Jobspec::parse(job.jobspec()), R);
    FAIL();
  } catch (const Error& failure) {
    EXPECT_STREQ(failure.what(), "the job has more than 65536 tasks, the most that one shell starts");
  }
  EXPECT_THROW((void)make_task_plan(document::Jobspec::parse(TestJob{}.jobspec()), document::ResourceSet{}),
               Error);
}

TEST(Share, deals_ids_in_order) {
  // Parts differ by one at most, keep the order, and none is empty.
  const auto ids = notation::Idset::decode("0-3,8-10");
  const auto text = [&](std::uint32_t parts) {
    std::string out;
    for (const auto& part : share(ids, parts)) out += part.encode() + " ";
    return out;
  };
  EXPECT_EQ(text(1), "0-3,8-10 ");
  EXPECT_EQ(text(3), "0-1 2-3 8-10 ");
  EXPECT_EQ(text(7), "0 1 2 3 8 9 10 ");
  EXPECT_EQ(text(10), "0 0 1 2 2 3 8 8 9 10 ");
  EXPECT_EQ(share({}, 2), (std::vector<notation::Idset>(2)));
}

}  // namespace
}  // namespace fq::document
