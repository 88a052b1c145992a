// When a scheduling pass runs, and when a submission can do without. That one would start nothing where none
// ran is checked at the end of every Scenario.

#include "manager/pass/schedule_pass.h"

#include <nlohmann/json.hpp>

#include "document/event/eventlog.h"
#include "manager/core/change.h"
#include "manager/jobs/memo.h"
#include "manager/jobs/urgency.h"
#include "manager/look/query.h"
#include "records/keys.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using test::Scenario;

// A store whose node is taken, with a job that waits for it.
class SchedulePass : public testing::Test {
 protected:
  SchedulePass() { forget_reason(); }

  /// Every pass notes why the first job waits: whether one has run since the last call.
  bool has_run() {
    bool noted = false;
    query(s.session, [&](const store::Reader& reader) {
      noted = reader.get(store::Family::instance, records::key::annotation(waiting)).has_value();
    });
    if (noted) forget_reason();
    return noted;
  }

  void forget_reason() {
    transact(s.session, [&](Change& change) {
      schedule_pass(change);
      change.only_adds_jobs();
      change.transaction().erase(store::Family::instance, records::key::annotation(waiting));
    });
  }

  Scenario s{1, 2};
  notation::JobId running = s.submit(Scenario::jobspec(2));
  notation::JobId waiting = s.submit(Scenario::jobspec(2));
};

TEST_F(SchedulePass, a_job_behind_its_like_needs_none) {
  // The first of its class did not start, so it does not either.
  s.submit(Scenario::jobspec(2));
  EXPECT_FALSE(has_run());
  s.finish(running);
  EXPECT_EQ(s.states({running, waiting}), "CD R");
}

TEST_F(SchedulePass, the_first_of_a_class_needs_one) {
  // Nobody has asked yet whether it fits.
  s.submit(Scenario::jobspec(1));
  EXPECT_TRUE(has_run());
}

TEST_F(SchedulePass, any_other_change_needs_one) {
  // What was canceled may have stood before others.
  const auto last = s.submit(Scenario::jobspec(2));
  EXPECT_FALSE(has_run());
  s.cancel(last);
  EXPECT_TRUE(has_run());
  s.tick();
  EXPECT_TRUE(has_run());
}

TEST_F(SchedulePass, one_that_did_not_come_to_its_end_is_due) {
  // The pass of a long request comes with its last step: who finds the store in between runs it.
  int steps = 0;
  transact_steps(s.session, {[&](Change& change) {
                   change.only_adds_jobs();
                   EXPECT_EQ(change.pass_is_due(), steps > 0);
                   return ++steps < 2;
                 }});
  transact(s.session, [](Change& change) {
    change.only_adds_jobs();
    EXPECT_FALSE(change.pass_is_due());
  });
}

// A node that is taken, and jobs that wait for it.
class Annotations : public testing::Test {
 protected:
  std::string stored(notation::JobId id) {
    std::string text;
    query(s.session, [&](const store::Reader& reader) {
      text = reader.get(store::Family::instance, records::key::annotation(id)).value_or("none");
    });
    return text;
  }
  // As a listing shows them.
  std::string listed(notation::JobId id) {
    std::string text;
    query(s.session, [&](const store::Reader& reader) { text = find_listed(reader, id).job.annotations; });
    return text;
  }
  std::string of_alloc(notation::JobId id) {
    for (const document::Event& event : document::decode_eventlog(s.document(id, "eventlog"))) {
      if (event.name == "alloc") return event.context.at("annotations").dump();
    }
    return "no alloc";
  }
  void set_urgency(notation::JobId id, std::uint8_t urgency) {
    ASSERT_TRUE(manager::set_urgency(s.session, {{id}, urgency}).refusals.empty());
  }

  Scenario s{1, 2};
  notation::JobId running = s.submit(Scenario::jobspec(2));
};

const std::string kWaits = R"({"sched":{"reason_pending":"2 cores requested, 0 free"}})";

TEST_F(Annotations, R27_53_a_job_of_higher_priority_takes_the_place_of_one_whose_request_was_out) {
  // The reason is that of the job that is first now; another job's urgency made it so.
  const auto first = s.submit(Scenario::jobspec(2)), second = s.submit(Scenario::jobspec(2));
  EXPECT_EQ(stored(first) + " " + stored(second), kWaits + " none");
  set_urgency(second, 31);
  EXPECT_EQ(stored(first) + " " + stored(second), "none " + kWaits);
  s.cancel(second);
  EXPECT_EQ(stored(first), kWaits);
  s.cancel(first);
}

TEST_F(Annotations, R27_29_they_are_discarded_when_the_request_ends_without_resources) {
  // Held, or canceled: nothing of them is left.
  const auto id = s.submit(Scenario::jobspec(2));
  EXPECT_EQ(stored(id), kWaits);
  set_urgency(id, 0);
  EXPECT_EQ(stored(id), "none");
  set_urgency(id, 16);
  EXPECT_EQ(stored(id), kWaits);
  s.cancel(id);
  EXPECT_EQ(stored(id), "none");
  EXPECT_EQ(s.job(id).annotations, "");
}

TEST_F(Annotations, R27_21_R27_28_R27_54_alloc_keeps_all_that_is_known_then) {
  // What the scheduler said, keys of its own included, what it says on success, and the user's notes,
  // volatile ones too. What it said of the wait is gone.
  const auto id = s.submit(Scenario::jobspec(2));
  transact(s.session, [&](Change& change) {
    change.transaction().put(store::Family::instance, records::key::annotation(id),
                             R"({"sched":{"queue":"x","rounds":[1,{"n":2}]}})");
  });
  const std::string waits =
      R"({"sched":{"queue":"x","reason_pending":"2 cores requested, 0 free","rounds":[1,{"n":2}]}})";
  EXPECT_EQ(stored(id), waits);
  EXPECT_EQ(listed(id), waits);
  add_memo(s.session, {id, R"({"stage":"one","a":1})", false});
  add_memo(s.session, {id, R"({"a":2,"loss":0.5})", true});
  s.finish(running);
  EXPECT_EQ(of_alloc(id),
            R"({"sched":{"queue":"x","resource_summary":"rank0/core[0-1]","rounds":[1,{"n":2}]},)"
            R"("user":{"a":2,"loss":0.5,"stage":"one"}})");
  EXPECT_EQ(listed(id),
            R"({"sched":{"queue":"x","resource_summary":"rank0/core[0-1]","rounds":[1,{"n":2}]}})");
  EXPECT_EQ(s.job(id).memo, R"({"a":1,"stage":"one"})");
  s.finish(id);
}

// Notes, when a shell is to be started, what everybody reads of its job.
class Reads final : public Launcher {
 public:
  explicit Reads(test::Scenario& scenario) : scenario_(scenario), next_(scenario.session.launcher) {
    scenario.session.launcher = this;
  }
  void start_shell(const meeting::JobFiles& files, const meeting::LaunchPlan& plan, FileLock alive) override {
    r = scenario_.document(plan.id, "R");
    events = scenario_.events(plan.id);
    next_->start_shell(files, plan, std::move(alive));
  }
  void start_waker(const std::string& store, bool clean) override { next_->start_waker(store, clean); }
  void start_compaction(const std::string& store) override { next_->start_compaction(store); }
  void start_consultation(const std::string& store) override { next_->start_consultation(store); }

  std::string r, events;

 private:
  test::Scenario& scenario_;
  Launcher* next_;
};

TEST_F(Annotations, R27_19_R_is_stored_with_alloc_and_is_what_the_shell_gets) {
  // Before anything follows from it: who is to start the shell reads it already. Success may add annotations.
  s.finish(running);
  Reads reads(s);
  const auto id = s.submit(Scenario::jobspec(2));
  EXPECT_EQ(reads.events, "submit validate depend priority alloc start");
  EXPECT_EQ(reads.r, s.document(id, "R"));
  EXPECT_EQ(s.launcher.shells.at(id).plan.R, reads.r);
  EXPECT_EQ(document::ResourceSet::parse(reads.r).summary(), "rank0/core[0-1]");
  EXPECT_EQ(of_alloc(id), R"({"sched":{"resource_summary":"rank0/core[0-1]"}})");
  s.session.launcher = &s.launcher;
  s.finish(id);
}

}  // namespace
}  // namespace fq::manager
