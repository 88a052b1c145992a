#include "cli/jobs/job_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/frame/common_options.h"
#include "cli/jobs/job_json.h"
#include "cli/jobs/job_rows.h"
#include "cli/jobs/made_jobs.h"
#include "support/word_list.h"

namespace fq::cli {
namespace {

class JobListing : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    jobs_.reserve(16);

    Job pend = make_job("ƒ2KcBtaT", "pend", "batch", State::sched, 3, 600);
    pend.counts = {3, 3, 1, 1, 0, true};
    add(pend).t_estimate = kNow + 593.94;
    Job dep = make_job("ƒ2NoWLoZ", "dep", "batch", State::depend, 2, 3600);
    dep.urgency = 20;
    dep.dependencies = {"after-success=ƒ2GMuTnf"};
    add(dep);
    Job held = make_job("ƒ2Rzpo2f", "held", "debug", State::sched, 1, 600);
    held.urgency = 0;
    held.priority = 0;
    add(held);
    Job later = make_job("ƒ2VJ5CP9", "later", "debug", State::depend, 2, 600);
    later.dependencies = {"begin-time=1795261531.7"};
    add(later);
    Job bigwait = make_job("ƒ2GMuTnf", "bigwait", "batch", State::run, 3, 600);
    bigwait.nnodes = 3;
    bigwait.nodelist = "node[0-2]";
    bigwait.t_run = kNow - 6.081;
    bigwait.expiration = kNow + 593.58;
    add(bigwait);
    Job toolong = make_ended("ƒ2D693iX", "toolong", "batch", 1, 0.998, 1, "node0", 36352);
    toolong.exception = {true, 0, "timeout", "resource allocation expired"};
    add(toolong);
    add(make_ended("ƒ29Y4mYb", "fails", "debug", 1, 0.052, 1, "node3", 768));
    add(make_ended("ƒ25jAcZD", "hello", "batch", 4, 0.059, 2, "node[0-1]", 0));
  }

  JobRow& add(Job job) {
    jobs_.push_back(std::move(job));
    return rows_.emplace_back(JobRow{.job = &jobs_.back(), .now = kNow});
  }

  std::string list(std::string_view format, bool no_header = false) {
    Format<JobRow> parsed{find_format(format, job_formats()), job_fields()};
    return parsed.list(rows_, no_header);
  }

  std::string jobs_json() {
    Spool out;
    JobRowsWriter writer({find_format("default", job_formats()), job_fields()}, {}, JobRowsWriter::Form::json,
                         out);
    for (const JobRow& row : rows_) writer.add(row);
    EXPECT_FALSE(writer.again());
    EXPECT_EQ(writer.finish(), rows_.size());
    return "{\"jobs\":[" + out.text() + "]}\n";
  }

  std::vector<Job> jobs_;
  std::vector<JobRow> rows_;
};

TEST_F(JobListing, default_format_is_that_of_flux_jobs) {
  // The default listing has the columns, widths and words of `flux jobs -a`.
  EXPECT_EQ(
      list("default"),
      "       JOBID QUEUE    USER     NAME       ST NTASKS NNODES     TIME INFO\n"
      "    ƒ2KcBtaT batch    root     pend        S      3      3      10m eta:9.899m\n"
      "    ƒ2NoWLoZ batch    root     dep         D      2      -       1h depends:after-success=ƒ2GMuTnf\n"
      "    ƒ2Rzpo2f debug    root     held        S      1      -      10m held\n"
      "    ƒ2VJ5CP9 debug    root     later       D      2      -      10m depends:begin@11:45:31\n"
      "    ƒ2GMuTnf batch    root     bigwait     R      3      3   6.081s node[0-2]\n"
      "    ƒ2D693iX batch    root     toolong    TO      1      1   0.998s node0\n"
      "    ƒ29Y4mYb debug    root     fails       F      1      1   0.052s node3\n"
      "    ƒ25jAcZD batch    root     hello      CD      4      2   0.059s node[0-1]\n");
}

TEST_F(JobListing, long_format_is_that_of_flux_jobs) {
  // The long listing has the columns, widths and words of `flux jobs -a -o long`.
  EXPECT_EQ(
      list("long"),
      "       JOBID QUEUE    USER     NAME          STATUS NTASKS NNODES     T_SUBMIT  T_REMAINING     TIME "
      "INFO\n"
      "    ƒ2KcBtaT batch    root     pend           SCHED      3      3  Nov21 10:45            -      10m "
      "eta:9.899m\n"
      "    ƒ2NoWLoZ batch    root     dep           DEPEND      2      -  Nov21 10:45            -       1h "
      "depends:after-success=ƒ2GMuTnf\n"
      "    ƒ2Rzpo2f debug    root     held           SCHED      1      -  Nov21 10:45            -      10m "
      "held\n"
      "    ƒ2VJ5CP9 debug    root     later         DEPEND      2      -  Nov21 10:45            -      10m "
      "depends:begin@11:45:31\n"
      "    ƒ2GMuTnf batch    root     bigwait          RUN      3      3  Nov21 10:45       9.893m   6.081s "
      "node[0-2]\n"
      "    ƒ2D693iX batch    root     toolong      TIMEOUT      1      1  Nov21 10:45            -   0.998s "
      "node0\n"
      "    ƒ29Y4mYb debug    root     fails         FAILED      1      1  Nov21 10:45            -   0.052s "
      "node3\n"
      "    ƒ25jAcZD batch    root     hello      COMPLETED      4      2  Nov21 10:45            -   0.059s "
      "node[0-1]\n");
}

TEST_F(JobListing, deps_format_is_that_of_flux_jobs) {
  // Urgency, priority and dependencies, spaces at the ends of lines included; no priority while in DEPEND.
  rows_.resize(4);
  EXPECT_EQ(list("deps"),
            "       JOBID QUEUE    NAME       URG PRI          STATE    DEPENDENCIES\n"
            "    ƒ2KcBtaT batch    pend       16  16           SCHED    \n"
            "    ƒ2NoWLoZ batch    dep        20               DEPEND   after-success=ƒ2GMuTnf\n"
            "    ƒ2Rzpo2f debug    held       0   0            SCHED    \n"
            "    ƒ2VJ5CP9 debug    later      16               DEPEND   begin@11:45:31\n");
}

TEST_F(JobListing, endreason_format_is_that_of_flux_jobs) {
  // When and how jobs ended; a hyphen for those that have not.
  EXPECT_EQ(list("endreason"),
            "       JOBID QUEUE    USER     NAME       ST   T_INACTIVE INACTIVE-REASON\n"
            "    ƒ2KcBtaT batch    root     pend        S            - \n"
            "    ƒ2NoWLoZ batch    root     dep         D            - \n"
            "    ƒ2Rzpo2f debug    root     held        S            - \n"
            "    ƒ2VJ5CP9 debug    root     later       D            - \n"
            "    ƒ2GMuTnf batch    root     bigwait     R            - \n"
            "    ƒ2D693iX batch    root     toolong    TO  Nov21 10:45 Timeout\n"
            "    ƒ29Y4mYb debug    root     fails       F  Nov21 10:45 Exit 3\n"
            "    ƒ25jAcZD batch    root     hello      CD  Nov21 10:45 Exit 0\n");
}

TEST_F(JobListing, the_queue_column_is_left_out_where_no_job_has_one) {
  // A store without named queues shows no QUEUE column.
  for (Job& job : jobs_) job.queue.clear();
  rows_.resize(2);
  EXPECT_EQ(list("default"),
            "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO\n"
            "    ƒ2KcBtaT root     pend        S      3      3      10m eta:9.899m\n"
            "    ƒ2NoWLoZ root     dep         D      2      -       1h depends:after-success=ƒ2GMuTnf\n");
}

TEST_F(JobListing, R27_27_annotations_are_fields) {
  // The scheduler's estimate and reason come from the row, other annotations from the alloc event.
  rows_.resize(3);
  rows_[0].t_estimate = 1795258532.2377422;
  rows_[2].reason_pending = "held by its user";
  jobs_[1].annotations =
      R"({"sched":{"resource_summary":"rank0/core0","n":3,"ok":true,"none":null},"user":{"note":"ü","list":[1,2]}})";
  EXPECT_EQ(list("{id.f58:>12} {queue:<6} {urgency:>4} {priority:<12} {state:<10} {status_abbrev} "
                 "{annotations.sched.reason_pending} {annotations.sched.t_estimate!D:h}"),
            "       JOBID QUEUE   URG PRI          STATE      ST REASON T_ESTIMATE\n"
            "    ƒ2KcBtaT batch    16 16           SCHED      S  2026-11-21T10:55:32\n"
            "    ƒ2NoWLoZ batch    20              DEPEND     D  -\n"
            "    ƒ2Rzpo2f debug     0 0            SCHED      S held by its user -\n");
  EXPECT_EQ(list("{name} {sched.resource_summary} {annotations.sched.n:03d} {sched.ok} {sched.none:h} "
                 "{user.note} {user.list} {annotations.user.no.such:h} {sched.n.x:h}"),
            "NAME RESOURCES SCHED.N SCHED.OK SCHED.NONE USER.NOTE USER.LIST "
            "USER.NO.SUCH SCHED.N.X\n"
            "pend       -   - -\n"
            "dep rank0/core0 003 True - ü [1,2] - -\n"
            "held       -   - -\n");
  EXPECT_EQ(
      list("{annotations}|{sched}|{user}", true),
      "{\"sched\":{\"t_estimate\":1795258532.2377422}}|{\"t_estimate\":1795258532.2377422}|\n"
      "{\"sched\":{\"n\":3,\"none\":null,\"ok\":true,\"resource_summary\":\"rank0/"
      "core0\"},\"user\":{\"list\":"
      "[1,2],\"note\":\"ü\"}}|{\"n\":3,\"none\":null,\"ok\":true,\"resource_summary\":\"rank0/core0\"}|{"
      "\"list\":[1,2],\"note\":\"ü\"}\n"
      "{\"sched\":{\"reason_pending\":\"held by its user\"}}|{\"reason_pending\":\"held by its user\"}|\n");
}

TEST_F(JobListing, every_field_has_a_value_for_every_job) {
  // No field fails for any of the jobs, and each shows what its name says for a finished one.
  test::install_word_list();
  Job& job = jobs_[7];
  job.bank = "A";
  job.project = "p";
  job.qos = "normal";
  job.ngpus = 1;
  job.expiration = job.t_run + 600;
  job.exception = {true, 1, "memo", "low"};
  std::string all;
  for (const Field<JobRow>& field : job_fields()) {
    const bool family = field.name.ends_with('.');
    rows_.resize(8);
    Format<JobRow> format{fmt::format("{{{}{}}}", field.name, family ? "key" : ""), job_fields()};
    std::string out;
    for (const JobRow& row : rows_) format.append_row(out, row);
    out.clear();
    format.append_row(out, rows_[7]);
    if (out.ends_with('\n')) out.pop_back();
    all += fmt::format("{}={}\n", field.name, out);
  }
  EXPECT_EQ(
      all,
      "id=ƒ25jAcZD\nid.f58=ƒ25jAcZD\nid.f58plain=f25jAcZD\nid.dec=41171288064\nid.hex=0x996000000\n"
      "id.dothex=0000.0009.9600.0000\nid.kvs=job.0000.0009.9600.0000\n" +
          fmt::format("id.emoji={}\nid.words={}\n", notation::to_emoji(job.id),
                      notation::format_id(job.id, notation::IdForm::words)) +
          "userid=0\nusername=root\nurgency=16\npriority=16\nstate=INACTIVE\nstate_single=I\n"
          "state_emoji=💀\nstatus=COMPLETED\nstatus_abbrev=CD\nstatus_emoji=😀\nresult=COMPLETED\n"
          "result_abbrev=CD\nresult_emoji=😀\nname=hello\n"
          "cwd=/home/user\nqueue=batch\nbank=A\nproject=p\nqos=normal\nntasks=4\nncores=4\nngpus=1\n"
          "duration=600.0\nnnodes=2\nranks=0\nnodelist=node[0-1]\nsuccess=True\nwaitstatus=0\n"
          "returncode=0\nexception.occurred=True\nexception.severity=1\nexception.type=memo\n"
          "exception.note=low\nt_submit=1795257931.4601645\nt_depend=1795257931.4720767\n"
          "t_priority=1795257931.483468\nt_sched=1795257931.4836204\nt_run=1795257932.0\n"
          "t_cleanup=1795257932.059\nt_inactive=1795257932.069\nt_remaining=0.0\n" +
          fmt::format("runtime={}\n", job.t_cleanup - job.t_run) +
          "expiration=1795258532.0\ndependencies=\ncontextual_info=node[0-1]\n" +
          fmt::format("contextual_time={}\n", job.t_cleanup - job.t_run) +
          "inactive_reason=Exit 0\nannotations=\nannotations.sched.t_estimate=\n"
          "annotations.sched.reason_pending=\nannotations.sched.resource_summary=\nannotations.=\nsched=\n"
          "sched.t_estimate=\nsched.reason_pending=\nsched.resource_summary=\nsched.=\nuser=\nuser.=\nuri=\n"
          "uri.local=\n");
}

TEST_F(JobListing, sorts_by_id_whatever_its_form) {
  // Job ids sort by number, also where they are shown in base 58.
  const auto keys = parse_sort_keys("id", field_names(job_fields()));
  sort_rows<JobRow>(rows_, keys, job_fields());
  EXPECT_EQ(list("{id.f58plain} {id.kvs:.0}", true),
            "f25jAcZD \nf29Y4mYb \nf2D693iX \nf2GMuTnf \nf2KcBtaT \nf2NoWLoZ \nf2Rzpo2f \nf2VJ5CP9 \n");
}

TEST_F(JobListing, json_has_the_keys_of_flux_jobs) {
  // One object a job with Flux's keys in Flux's order; what is unset is left out.
  rows_[0].t_estimate = 1795258532.2377422;
  rows_.resize(2);
  EXPECT_EQ(jobs_json(),
            "{\"jobs\":[{\"t_depend\":1795257931.4720767,\"t_priority\":1795257931.483468,\"t_sched\":"
            "1795257931.4836204,"
            "\"duration\":600.0,\"name\":\"pend\",\"cwd\":\"/home/"
            "user\",\"queue\":\"batch\",\"ntasks\":3,\"nnodes\":3,"
            "\"priority\":16,\"id\":50281316352,\"t_submit\":1795257931.4601645,\"state\":\"SCHED\","
            "\"username\":\"root\","
            "\"userid\":0,\"urgency\":16,\"status\":\"SCHED\",\"dependencies\":[],\"jobid\":\"ƒ2KcBtaT\","
            "\"annotations\":"
            "{\"sched\":{\"t_estimate\":1795258532.2377422}},\"exception\":{\"occurred\":false}},"
            "{\"t_depend\":1795257931.4720767,\"duration\":3600.0,\"name\":\"dep\",\"cwd\":\"/home/"
            "user\",\"queue\":"
            "\"batch\",\"ntasks\":2,\"ncores\":2,\"id\":52378468352,\"t_submit\":1795257931.4601645,"
            "\"state\":\"DEPEND\","
            "\"username\":\"root\",\"userid\":0,\"urgency\":20,\"status\":\"DEPEND\",\"dependencies\":["
            "\"after-success=ƒ2GMuTnf\"],\"jobid\":\"ƒ2NoWLoZ\",\"annotations\":{},\"exception\":{"
            "\"occurred\":false}}]}\n");
}

TEST_F(JobListing, json_of_a_finished_job_says_how_it_ended) {
  // An ended job has its times, nodes, result and codes; text is escaped.
  jobs_[5].name = "a\"b\n";
  jobs_[5].t_run = 1795257932.0;
  jobs_[5].t_cleanup = 1795257933.0;
  jobs_[5].t_inactive = 1795257933.5;
  std::string out;
  append_job_json(out, rows_[5]);
  EXPECT_EQ(
      out,
      "{\"t_depend\":1795257931.4720767,\"t_priority\":1795257931.483468,\"t_sched\":1795257931.4836204,"
      "\"t_run\":1795257932.0,\"t_cleanup\":1795257933.0,\"t_inactive\":1795257933.5,\"duration\":600.0,"
      "\"name\":\"a\\\"b\\n\",\"cwd\":\"/home/user\",\"queue\":\"batch\",\"ntasks\":1,\"ncores\":1,"
      "\"nnodes\":1,\"priority\":16,\"ranks\":\"0\",\"nodelist\":\"node0\",\"success\":false,\"result\":"
      "\"TIMEOUT\",\"waitstatus\":36352,\"id\":46003126272,\"t_submit\":1795257931.4601645,\"state\":"
      "\"INACTIVE\",\"username\":\"root\",\"userid\":0,\"urgency\":16,\"runtime\":1.0,\"status\":\"TIMEOUT\","
      "\"returncode\":142,\"dependencies\":[],\"jobid\":\"ƒ2D693iX\",\"annotations\":{},\"exception\":{"
      "\"occurred\":true,\"severity\":0,\"type\":\"timeout\",\"note\":\"resource allocation expired\"}}");
  EXPECT_NO_THROW(static_cast<void>(parse_json(jobs_json(), "jobs")));
  rows_.clear();
  EXPECT_EQ(jobs_json(), "{\"jobs\":[]}\n");
}

TEST(JobFormats, parse_and_are_described) {
  // Every named format parses; a user without a name is shown by number.
  for (const NamedFormat& format : job_formats()) {
    EXPECT_NO_THROW((Format<JobRow>{format.format, job_fields()})) << format.name;
    EXPECT_FALSE(format.description.empty());
  }
  EXPECT_EQ(user_name(4294967294U), "4294967294");
  EXPECT_EQ(&user_name(0), &user_name(0));
}

}  // namespace
}  // namespace fq::cli
