#include "job/apply.h"

#include <gtest/gtest.h>

#include "job/actions.h"
#include "job/events.h"
#include "support/error_text.h"

namespace fq::job {
namespace {

constexpr std::string_view kSubmit =
    R"({"timestamp":1,"name":"submit","context":{"userid":5,"urgency":16,"flags":0,"version":1}})";

std::string event(std::string_view name, std::string_view context = {}) {
  static double t = 1;
  t += 1;
  return fmt::format(R"({{"timestamp":{},"name":"{}"{}}})", t, name,
                     context.empty() ? "" : fmt::format(R"(,"context":{})", context));
}

// Applies lines and renders the state: `SCHED priority=16 deps=1 exc=cancel/0 held finished=256 …`.
std::string after(const std::vector<std::string>& lines) {
  Job job;
  for (const std::string& line : lines) apply(job, document::decode_event(line));
  std::string out{name(job.state)};
  if (job.priority != 0) out += fmt::format(" priority={}", job.priority);
  if (!job.dependencies.empty()) out += fmt::format(" deps={}", job.dependencies.size());
  if (job.exception.occurred) out += fmt::format(" exc={}/{}", job.exception.type, job.exception.severity);
  if (job.allocated) out += " allocated";
  if (job.started) out += " started";
  if (job.finished) out += fmt::format(" finished={}", job.wait_status);
  if (!job.memo.empty()) out += " memo=" + job.memo;
  return out;
}

const std::string kS{kSubmit};
std::vector<std::string> to_sched() {
  return {kS, event("validate"), event("depend"), event("priority", R"({"priority":16})")};
}
std::vector<std::string> to_run() {
  auto lines = to_sched();
  lines.push_back(event("alloc"));
  lines.push_back(event("start"));
  return lines;
}
std::string prolog_finish(int status) {
  return event("prolog-finish", fmt::format(R"({{"description":"/p","status":{}}})", status));
}
std::string epilog_finish(int status) {
  return event("epilog-finish", fmt::format(R"({{"description":"/e","status":{}}})", status));
}
std::vector<std::string> to_prolog() {
  auto lines = to_sched();
  lines.push_back(event("alloc"));
  lines.push_back(event("prolog-start", R"({"description":"/p"})"));
  return lines;
}
std::vector<std::string> to_epilog() {
  auto lines = to_run();
  lines.push_back(event("finish", R"({"status":0})"));
  lines.push_back(event("epilog-start", R"({"description":"/e"})"));
  return lines;
}
std::vector<std::string> operator+(std::vector<std::string> lines, std::vector<std::string> more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}
std::string exception(std::string_view type, int severity) {
  return event("exception", fmt::format(R"({{"type":"{}","severity":{},"note":"n"}})", type, severity));
}

TEST(Apply, R16_5_events_drive_the_states_of_RFC_21) {
  // One row a transition: the events, and the state they lead to.
  struct Row {
    std::vector<std::string> lines;
    std::string state;
  };
  const std::vector<Row> rows{
      {{kS}, "NEW"},
      {{R"({"timestamp":1,"name":"submit","context":{"userid":5,"urgency":16}})"}, "DEPEND"},
      {{kS, event("validate")}, "DEPEND"},
      {{kS, event("dependency-add", R"({"description":"after-start=f1"})"), event("validate")},
       "DEPEND deps=1"},
      {{kS, event("dependency-add", R"({"description":"x"})"), event("validate"),
        event("dependency-remove", R"({"description":"x"})")},
       "DEPEND"},
      {{kS, event("validate"), event("depend")}, "PRIORITY"},
      {to_sched(), "SCHED priority=16"},
      {to_sched() + std::vector{event("priority", R"({"priority":7})")}, "SCHED priority=7"},
      {to_sched() + std::vector{event("urgency", R"({"urgency":3,"userid":5})")}, "PRIORITY priority=16"},
      {to_sched() + std::vector{event("jobspec-update", R"({"attributes.system.duration":3})")},
       "PRIORITY priority=16"},
      {to_sched() + std::vector{event("flux-restart")}, "PRIORITY priority=16"},
      {to_sched() + std::vector{event("alloc")}, "RUN priority=16 allocated"},
      {to_run(), "RUN priority=16 allocated started"},
      {to_run() + std::vector{event("finish", R"({"status":256})")},
       "CLEANUP priority=16 allocated finished=256"},
      {to_run() + std::vector{exception("cancel", 0)}, "CLEANUP priority=16 exc=cancel/0 allocated started"},
      {to_run() + std::vector{exception("oom", 3)}, "RUN priority=16 exc=oom/3 allocated started"},
      {to_run() +
           std::vector{exception("note", 5), exception("oom", 3), exception("disk", 3), exception("last", 7)},
       "RUN priority=16 exc=oom/3 allocated started"},
      {to_run() + std::vector{exception("oom", 3), exception("cancel", 0), exception("timelimit", 0)},
       "CLEANUP priority=16 exc=cancel/0 allocated started"},
      {to_sched() + std::vector{exception("cancel", 0), event("clean")}, "INACTIVE priority=16 exc=cancel/0"},
      {to_run() +
           std::vector{event("finish", R"({"status":0})"), event("release"), event("free"), event("clean")},
       "INACTIVE priority=16 finished=0"},
      {to_sched() + std::vector{event("from-the-future", R"({"a":1})"), event("debug.x")},
       "SCHED priority=16"},
      {to_sched() +
           std::vector{event("memo", R"({"a":1,"b":{"c":2}})"), event("memo", R"({"a":null,"b":{"d":3}})")},
       R"(SCHED priority=16 memo={"b":{"c":2,"d":3}})"},
  };
  for (const Row& row : rows) EXPECT_EQ(after(row.lines), row.state) << row.lines.back();
}

TEST(Apply, events_that_cannot_follow_are_refused_by_name) {
  // One row a mistake: the events, and the message.
  struct Row {
    std::vector<std::string> lines;
    std::string message;
  };
  const std::vector<Row> rows{
      {{event("validate")}, "the first event is 'validate', but a job begins with 'submit'"},
      {{kS, kS}, "event 'submit' cannot follow in state NEW"},
      {{kS, event("alloc")}, "event 'alloc' cannot follow in state NEW"},
      {to_sched() + std::vector{event("free")}, "event 'free' cannot follow in state SCHED"},
      {to_run() + std::vector{event("clean")}, "event 'clean' cannot follow in state RUN"},
      {to_sched() + std::vector{event("finish", R"({"status":0})")},
       "event 'finish' cannot follow in state SCHED"},
      {{kS, event("validate"), event("priority", R"({"priority":1})")},
       "event 'priority' cannot follow in state DEPEND"},
      {{kS, event("validate"), event("dependency-remove", R"({"description":"x"})")},
       "event 'dependency-remove': the job has no dependency 'x'"},
      {{R"({"timestamp":1,"name":"submit","context":{"userid":5,"urgency":32}})"},
       "event 'submit'.urgency: expected an integer from 0 to 31, got 32"},
      {{R"({"timestamp":1,"name":"submit","context":{"urgency":3}})"},
       "event 'submit': missing key 'userid'"},
      {to_sched() + std::vector{event("exception", R"({"type":"x","severity":8,"note":""})")},
       "event 'exception'.severity: expected an integer from 0 to 7, got 8"},
  };
  for (const Row& row : rows) EXPECT_EQ(error_text([&] { after(row.lines); }), row.message);
}

TEST(Apply, R16_6_replay_gives_the_job_that_its_documents_describe) {
  // Jobspec facts, updates included, and R facts appear beside what the events say.
  const std::string jobspec =
      R"({"version":1,"resources":[{"type":"slot","count":2,"label":"t","with":[{"type":"core","count":3}]}],)"
      R"("tasks":[{"command":["/bin/echo"],"slot":"t","count":{"per_slot":1}}],)"
      R"("attributes":{"system":{"duration":60,"cwd":"/"}}})";
  std::string log;
  auto lines = to_sched() + std::vector{event("jobspec-update", R"({"attributes.system.duration":90})"),
                                        event("priority", R"({"priority":16})"), event("alloc")};
  for (const std::string& line : lines) log += line + "\n";
  const std::string r =
      R"({"version":1,"execution":{"R_lite":[{"rank":"3","children":{"core":"0-5"}}],"nodelist":["n3"],)"
      R"("nslots":2,"starttime":5.0,"expiration":95.0}})";
  const Job job = replay(notation::JobId{7}, jobspec, log, r);
  EXPECT_EQ(fmt::format("{} {} {} {} {} {} {} {}", job.name, job.ntasks, job.counts.cores_per_slot,
                        job.duration, job.nodelist, job.ncores, job.expiration, name(job.state)),
            "echo 2 3 90 n3 6 95 RUN");
}

TEST(Actions, what_is_due_follows_from_the_state_alone) {
  // One row a state: the events so far, and the due event's number or `-`, then what else the job wants.
  struct Row {
    std::vector<std::string> lines;
    std::string wants;
  };
  const std::vector<Row> rows{
      {{kS}, "validate"},
      {{kS, event("validate")}, "depend"},
      {{kS, event("dependency-add", R"({"description":"x"})"), event("validate")}, "-"},
      {{kS, event("validate"), event("depend")}, "priority"},
      {to_sched(), "- resources"},
      {to_sched() + std::vector{event("urgency", R"({"urgency":0,"userid":5})"),
                                event("priority", R"({"priority":0})")},
       "-"},
      {to_run(), "- shell"},
      {to_run() + std::vector{exception("cancel", 0)}, "- shell kill"},
      {to_prolog(), "- shell"},
      {to_prolog() + std::vector{exception("cancel", 0)}, "- shell kill"},
      {to_prolog() + std::vector{exception("cancel", 0), prolog_finish(15)}, "free"},
      {to_prolog() + std::vector{prolog_finish(256), event("requeue")}, "free"},
      {to_prolog() + std::vector{prolog_finish(0), event("start")}, "- shell"},
      {to_epilog(), "- shell"},
      {to_epilog() + std::vector{exception("cancel", 0)}, "- shell"},
      {to_epilog() + std::vector{epilog_finish(0)}, "free"},
      {to_run() + std::vector{event("finish", R"({"status":0})")}, "free"},
      {to_run() + std::vector{event("finish", R"({"status":0})"), event("free")}, "clean"},
      {to_sched() + std::vector{exception("cancel", 0)}, "clean"},
      {to_sched() + std::vector{exception("cancel", 0), event("clean")}, "-"},
  };
  constexpr const char* kNames[] = {"validate", "depend", "priority", "free", "clean"};
  for (const Row& row : rows) {
    Job job;
    for (const std::string& line : row.lines) apply(job, document::decode_event(line));
    const auto due = due_event(job);
    std::string wants = due ? kNames[static_cast<int>(*due)] : "-";
    if (wants_resources(job)) wants += " resources";
    if (wants_shell(job)) wants += " shell";
    if (wants_kill(job)) wants += " kill";
    EXPECT_EQ(wants, row.wants) << row.lines.back();
  }
}

TEST(Result, how_a_job_ended_decides_result_and_exit_code) {
  // One row an end: the last events, result letters and exit code.
  struct Row {
    std::vector<std::string> lines;
    std::string result;
    int code;
  };
  const auto end = [](std::string_view status) {
    return std::vector{event("finish", fmt::format(R"({{"status":{}}})", status)), event("free"),
                       event("clean")};
  };
  const std::vector<Row> rows{
      {to_run() + end("0"), "CD", 0},
      {to_run() + end("768"), "F", 3},
      {to_run() + end("9"), "F", 137},
      {to_run() + std::vector{exception("cancel", 0)} + end("36608"), "CA", 143},
      {to_run() + std::vector{exception("timelimit", 0)} + end("36352"), "TO", 142},
      {to_run() + std::vector{exception("timeout", 0)} + end("36352"), "TO", 142},
      {to_run() + std::vector{exception("exec", 0)} + end("0"), "F", 1},
      {to_sched() + std::vector{exception("cancel", 0), event("clean")}, "CA", 1},
      // Before any task was started, and after all of them have ended.
      {to_prolog() + std::vector{exception("timelimit", 0), prolog_finish(15), event("free"), event("clean")},
       "TO", 142},
      {to_epilog() + std::vector{exception("cancel", 0), epilog_finish(0), event("free"), event("clean")},
       "CD", 0},
      {to_run() + std::vector{event("finish", R"({"status":768})"), exception("cancel", 0), event("free"),
                              event("clean")},
       "F", 3},
  };
  for (const Row& row : rows) {
    Job job;
    for (const std::string& line : row.lines) apply(job, document::decode_event(line));
    EXPECT_EQ(fmt::format("{} {}", abbreviation(result(job)), exit_code(job)),
              fmt::format("{} {}", row.result, row.code));
  }
}

}  // namespace
}  // namespace fq::job
