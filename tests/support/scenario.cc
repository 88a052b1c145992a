#include "support/scenario.h"

#include "document/event/eventlog.h"
#include "manager/check/fsck.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/perilog.h"
#include "manager/look/query.h"
#include "manager/pass/schedule_pass.h"
#include "manager/site/initialize.h"
#include "meeting/liveness.h"
#include "process/machine/topology.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::test {

using notation::JobId;

Scenario::Scenario(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus) {
  session.caller = manager::Credential::of_process();
  make_store(nodes, cores, gpus);
}

Scenario::Scenario(manager::Credential owner) {
  session.caller = owner;
  make_store(1, 4, 0);
}

void Scenario::make_store(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus) {
  session.store = directory_.path() + "/store";
  session.command = "test";
  session.lock_timeout_s = 10;
  session.clock = &clock;
  session.launcher = &launcher;
  manager::InitRequest request;
  request.store = session.store;
  request.inventory = process::make_test_nodes(nodes, cores, gpus);
  manager::initialize(request, session.caller, clock);
}

Scenario::~Scenario() {
  EXPECT_EQ(faults(), "");
}

std::string Scenario::jobspec(std::uint32_t slots, std::uint32_t cores, const std::string& system) {
  const std::string duration = system.find("\"duration\"") == std::string::npos ? "\"duration\":0," : "";
  return fmt::format(
      R"({{"version":1,"resources":[{{"type":"slot","count":{},"label":"task","with":[{{"type":"core","count":{}}}]}}],)"
      R"("tasks":[{{"command":["true"],"slot":"task","count":{{"per_slot":1}}}}],)"
      R"("attributes":{{"system":{{{}"cwd":"/"{}{}}}}}}})",
      slots, cores, duration, system.empty() ? "" : ",", system);
}

JobId Scenario::submit(const std::string& jobspec, std::uint8_t urgency) {
  request::JobGroup request;
  request.jobspec = request::JobspecTemplate::plain(jobspec);
  request.urgency = urgency;
  return manager::submit(session, {request}).at(0);
}

void Scenario::finish(JobId id, int status) {
  const std::uint32_t attempt = launcher.shells.at(id).plan.attempt;
  bool goes_on = false;
  manager::transact(session, [&](manager::Change& change) {
    const job::Job& job = change.job(id);
    if (job.prologs > 0 || job.epilogs > 0) {
      using document::PerilogKind;
      const PerilogKind kind = job.prologs > 0 ? PerilogKind::prolog : PerilogKind::epilog;
      manager::finish_perilog(change,
                              {id, attempt, kind, {status, "failed", false, false, change.now()}, {}});
      goes_on = manager::next_plan(change, id, attempt).has_value();
      return;
    }
    manager::FinishRequest request;
    request.id = id;
    request.attempt = attempt;
    request.status = status;
    request.t_finish = change.now();
    manager::finish_job(change, request);
    const auto next = manager::next_plan(change, id, attempt);
    goes_on = next && next->epilog;
  });
  if (!goes_on) launcher.shells.erase(id);
}

void Scenario::kill_shell(JobId id) {
  launcher.shells.erase(id);
}

void Scenario::cancel(JobId id, const std::string& note) {
  manager::RaiseRequest request;
  request.ids = {id};
  request.note = note;
  static_cast<void>(manager::raise(session, request));
}

void Scenario::tick() {
  manager::transact(session, [](manager::Change&) {});
}

job::Job Scenario::job(JobId id) const {
  std::optional<job::Job> found;
  manager::query(session, [&](const store::Reader& reader) { found = records::find_job(reader, id); });
  return found.value();
}

std::string Scenario::states(const std::vector<JobId>& ids) const {
  std::string out;
  for (const JobId id : ids) {
    if (!out.empty()) out += ' ';
    out += job::status_abbreviation(job(id));
  }
  return out;
}

std::string Scenario::events(JobId id) const {
  std::string out;
  for (const document::Event& event : document::decode_eventlog(document(id, "eventlog"))) {
    if (!out.empty()) out += ' ';
    out += event.name;
  }
  return out;
}

std::string Scenario::document(JobId id, const std::string& key) const {
  std::string text;
  manager::query(session, [&](const store::Reader& reader) {
    text = manager::job_document(reader, session.files(), id, key, manager::JobspecForm::original);
  });
  return text;
}

std::string Scenario::drained() const {
  std::string out;
  manager::query(session, [&](const store::Reader& reader) {
    out.clear();
    for (const auto& [rank, drain] : records::read_drains(reader))
      out += fmt::format("{} {}\n", rank, drain.reason);
  });
  return out;
}

std::string Scenario::faults() const {
  std::string out;
  manager::query(session, [&](const store::Reader& reader) {
    out.clear();
    for (const std::string& line : manager::check_whole_store(reader)) out += line + "\n";
  });
  // A pass that is not due would start nothing.
  auto database = store::rocks::Database::open(store::database_path(session.store), /*create=*/false);
  store::rocks::Transaction transaction = database.begin();
  manager::Change change(session, transaction);
  if (!records::pass_is_due(transaction)) manager::schedule_pass(change);
  for (const JobId id : change.effects().starts) out += fmt::format("job {} could start\n", id);
  return out;
}

}  // namespace fq::test
