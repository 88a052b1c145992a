#include "shell/environment.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "document/jobspec/template.h"
#include "shell/shell_fixture.h"

namespace fq::shell {
namespace {

class Environment : public testing::Test {
 protected:
  std::string environment_of(std::uint32_t task) {
    const auto jobspec = document::Jobspec::parse(job.jobspec());
    const document::TaskPlan plan = document::make_task_plan(jobspec, document::ResourceSet::parse(job.R()));
    document::TemplateValues values;
    values.tmpdir = "/tmp/j";
    values.name = "app";
    const auto variables = task_environment(
        jobspec, plan, task, document::parse_shell_options(jobspec),
        {{0x17e9fb8df16c2e}, 2, "/store", "", "801-2f", "/tmp/j", "/g", library, hosts, shares, shown},
        values);
    return join(variables, "\n") + "\n";
  }
  TestJob job;
  std::string library, hosts;
  bool shares = false;
  std::optional<notation::Idset> shown;
};

TEST_F(Environment, has_what_was_submitted_and_what_a_task_must_know) {
  // The submitted variables and fq's own, under both prefixes, and nothing else.
  job.nslots = 2;
  job.environment = {{"HOME", "/home/user"}, {"FLUX_JOB_CC", "3"}, {"EMPTY", ""}};
  EXPECT_EQ(
      environment_of(1),
      "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES=-1\nEMPTY=\nFLUX_JOB_CC=3\n"
      "FLUX_JOB_GUEST_DIR=/g\nFLUX_JOB_ID=ƒuZZybuNNy\nFLUX_JOB_NNODES=1\nFLUX_JOB_NSLOTS=2\nFLUX_JOB_SIZE=2\n"
      "FLUX_JOB_TMPDIR=/tmp/j\n"
      "FLUX_TASK_LOCAL_ID=1\nFLUX_TASK_RANK=1\nFQ_JOB_ATTEMPT=801-2f.0017.e9fb.8df1.6c2e.2\n"
      "FQ_JOB_CC=3\nFQ_JOB_GUEST_DIR=/g\n"
      "FQ_JOB_ID=ƒuZZybuNNy\nFQ_JOB_NNODES=1\nFQ_JOB_NSLOTS=2\nFQ_JOB_SIZE=2\nFQ_JOB_TMPDIR=/tmp/"
      "j\nFQ_STORE=/store\n"
      "FQ_TASK_LOCAL_ID=1\nFQ_TASK_RANK=1\nHOME=/home/user\n");
}

TEST_F(Environment, an_enclosing_job_is_forgotten) {
  // What another job told the submitter about itself is replaced or dropped.
  job.environment = {
      {"FLUX_JOB_ID", "f1"}, {"FQ_JOB_ATTEMPT", "x.1"}, {"FQ_JOB_CC", "9"},     {"PMI_RANK", "4"},
      {"PMI_FD", "5"},       {"FLUX_TASK_RANK", "7"},   {"FQ_STORE", "/other"}, {"FLUX_KVS_NAMESPACE", "n"}};
  const std::string text = environment_of(0);
  for (const char* gone : {"f1\n", "x.1", "_CC=", "PMI_", "NAMESPACE", "/other", "RANK=7"}) {
    EXPECT_EQ(text.find(gone), std::string::npos) << gone;
  }
}

TEST_F(Environment, gpus_are_listed_as_cuda_takes_them) {
  // All of the node's, its share, a given list, or nothing, without ranges.
  job.nslots = 2;
  job.R_lite = json::array({{{"rank", "0"}, {"children", {{"core", "0-1"}, {"gpu", "0-2,7"}}}}});
  struct Case {
    json option;
    std::string first, second;
  };
  const Case cases[] = {
      {"on", "CUDA_VISIBLE_DEVICES=0,1,2,7\n", "CUDA_VISIBLE_DEVICES=0,1,2,7\n"},
      {"per-task", "CUDA_VISIBLE_DEVICES=0,1\n", "CUDA_VISIBLE_DEVICES=2,7\n"},
      {"map:7;0-1", "CUDA_VISIBLE_DEVICES=7\n", "CUDA_VISIBLE_DEVICES=0,1\n"},
  };
  for (const Case& each : cases) {
    job.options = {{"gpu-affinity", each.option}};
    EXPECT_NE(environment_of(0).find(each.first), std::string::npos) << each.option;
    EXPECT_NE(environment_of(1).find(each.second), std::string::npos) << each.option;
  }
  job.options = {{"gpu-affinity", "off"}};
  EXPECT_EQ(environment_of(0).find("CUDA"), std::string::npos);
  // Where no others can be opened, CUDA counts these alone.
  shown = notation::Idset::decode("0-2,7");
  job.options = {{"gpu-affinity", "per-task"}};
  EXPECT_NE(environment_of(1).find("CUDA_VISIBLE_DEVICES=2,3\n"), std::string::npos);
  EXPECT_NE(environment_of(1).find("FQ_GPUS_SHOWN=0-2,7\n"), std::string::npos);
}

TEST_F(Environment, parallel_programs_find_what_they_look_for) {
  // The library of PMI, or the host file of mpirun and no word of Flux; what the user chose holds, not an
  // enclosing job.
  library = "/l";
  EXPECT_NE(environment_of(0).find("FLUX_PMI_LIBRARY_PATH=/l\n"), std::string::npos);
  library.clear();
  job.environment = {{"FLUX_PMI_LIBRARY_PATH", "/old"},
                     {"OMPI_MCA_pmix", "^flux"},
                     {"OMPI_MCA_orte_default_hostfile", "/old"}};
  EXPECT_EQ(environment_of(0).find("OMPI"), std::string::npos);
  EXPECT_EQ(environment_of(0).find("/old"), std::string::npos);
  hosts = "/h";
  EXPECT_NE(environment_of(0).find("OMPI_MCA_orte_default_hostfile=/h\nOMPI_MCA_pmix=^flux\n"),
            std::string::npos);
  job.environment = {{"OMPI_MCA_pmix", "^ucx"}};
  EXPECT_NE(environment_of(0).find("OMPI_MCA_pmix=^ucx\n"), std::string::npos);
  EXPECT_EQ(environment_of(0).find("hostfile"), std::string::npos);
}

TEST_F(Environment, ids_are_ascii_where_the_job_asks) {
  // The submitted locale and FLUX_F58_FORCE_ASCII decide how the id is written, not the shell's.
  job.environment = {{"FLUX_F58_FORCE_ASCII", "1"}};
  EXPECT_NE(environment_of(0).find("FLUX_JOB_ID=fuZZybuNNy\n"), std::string::npos);
  job.environment = {{"LANG", "C"}};
  EXPECT_NE(environment_of(0).find("FLUX_JOB_ID=fuZZybuNNy\n"), std::string::npos);
  job.environment = {{"LANG", "C"}, {"LC_ALL", "de_DE.UTF-8"}};
  EXPECT_NE(environment_of(0).find("FLUX_JOB_ID=ƒuZZybuNNy\n"), std::string::npos);
}

TEST_F(Environment, env_expand_is_rendered_for_each_task) {
  // Variables of the option env-expand have their tags replaced.
  job.nslots = 2;
  job.options = {{"env-expand", {{"OUT", "{{tmpdir}}/{{name}}.{{taskid}}"}}}};
  EXPECT_NE(environment_of(1).find("OUT=/tmp/j/app.1\n"), std::string::npos);
}

TEST(Template, knows_the_tags_of_flux) {
  // Each row is a template and its text for task 1 on node 1; what is no tag stays.
  TestJob job;
  job.nslots = 2;
  job.R_lite = json::array({{{"rank", "4-5"}, {"children", {{"core", "0-1"}, {"gpu", "3"}}}}});
  job.nodelist = "n[4-5]";
  const auto jobspec = document::Jobspec::parse(job.jobspec());
  const document::TaskPlan plan = document::make_task_plan(jobspec, document::ResourceSet::parse(job.R()));
  document::TemplateValues values{{0x17e9fb8df16c2e}, "ƒuZZybuNNy",  "app", "/tmp/j", &plan,
                                  &plan.tasks[1],     &plan.nodes[1]};
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"{{id}}", "ƒuZZybuNNy"},
      {"{{jobid}}", "ƒuZZybuNNy"},
      {"{{id.f58}}", "ƒuZZybuNNy"},
      {"{{id.f58plain}}", "fuZZybuNNy"},
      {"{{id.dec}}", "6731191091817518"},
      {"{{id.hex}}", "0x17e9fb8df16c2e"},
      {"{{id.dothex}}", "0017.e9fb.8df1.6c2e"},
      {"{{jobid.dec}}", "6731191091817518"},
      {"{{name}}-{{size}}-{{ntasks}}-{{nnodes}}", "app-2-2-2"},
      {"{{tmpdir}}/x", "/tmp/j/x"},
      {"{{taskid}} {{task.id}} {{task.rank}} {{task.index}} {{task.localid}}", "1 1 1 0 0"},
      {"{{node.id}} {{node.name}} {{node.cores}} {{node.gpus}} {{node.ncores}} {{node.ngpus}}",
       "1 n5 0-1 3 2 1"},
      {"{{id.nothing}} {{idx}} {{task.nothing}} {{node.nothing}} {{nothing}}",
       "{{id.nothing}} {{idx}} {{task.nothing}} {{node.nothing}} {{nothing}}"},
      {"a {{ b {{id.dec}", "a {{ b {{id.dec}"},
      {"}}{{name}}{{", "}}app{{"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(document::render(text, values), expected) << text;
  values.task = nullptr;
  values.node = nullptr;
  EXPECT_EQ(document::render("{{taskid}} {{node.id}}", values), "{{taskid}} {{node.id}}");
}

TEST_F(Environment, open_mpi_shares_memory_with_nobody_else) {
  // The user's choice holds; an enclosing job's does not.
  const std::string name = "OMPI_MCA_btl_vader_backing_directory";
  EXPECT_EQ(environment_of(0).find(name), std::string::npos);
  shares = true;
  EXPECT_NE(environment_of(0).find(name + "=/tmp/j"), std::string::npos);
  job.environment = {{"FLUX_JOB_TMPDIR", "/tmp/outer"}, {name.c_str(), "/tmp/outer/memory.1"}};
  EXPECT_NE(environment_of(0).find(name + "=/tmp/j"), std::string::npos);
  job.environment = {{name.c_str(), "/mine"}};
  EXPECT_NE(environment_of(0).find(name + "=/mine\n"), std::string::npos);
}

}  // namespace
}  // namespace fq::shell
