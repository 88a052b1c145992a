// Changing what jobs ask for: who may, and what a running job's shell is told.

#include "manager/jobs/update.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "manager/jobs/submit.h"
#include "manager/jobs/urgency.h"
#include "manager/look/query.h"
#include "manager/site/configure.h"
#include "meeting/control.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

// A store whose owner is user 1000, with user 2000.
class Update : public testing::Test {
 protected:
  static constexpr std::uint32_t kOwner = 1000, kUser = 2000;

  Update() : s(manager::Credential{kOwner, kOwner}) {}
  ~Update() override {
    as(kOwner);
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  void as(std::uint32_t uid) { s.session.caller = {uid, uid}; }
  JobId submit_as(std::uint32_t uid, std::uint8_t urgency, const std::string& system = R"("duration":600)") {
    as(uid);
    return s.submit(Scenario::jobspec(1, 1, system), urgency);
  }
  // What update_jobs says: the refusal, or the updates of the one job.
  std::string update(JobId id, const std::string& updates, std::optional<double> change_s = std::nullopt) {
    manager::UpdateRequest request;
    request.ids = {id};
    request.updates = updates;
    request.duration_change_s = change_s;
    const auto reply = manager::update_jobs(s.session, request);
    return reply.refusals.empty() ? reply.done.at(0).updates : reply.refusals.at(0).why.what();
  }
  static std::string duration(double seconds) {
    return fmt::format(R"({{"attributes.system.duration":{:.1f}}})", seconds);
  }

  Scenario s;
};

TEST_F(Update, constraints_are_of_a_bounded_size_at_submission_too) {
  // Each pass reads those of all classes of jobs, under the lock. The first of a request is as the others.
  const auto constraints = [](std::size_t bytes) {
    const std::string begin = R"({"properties":["^)", end = "\"]}";
    return begin + std::string(bytes - begin.size() - end.size(), 'p') + end;
  };
  const auto system = [&](std::size_t bytes) { return R"("constraints":)" + constraints(bytes); };
  const auto refusal = [](std::size_t bytes) {
    return fmt::format(
        "attributes.system.constraints: a constraint of {} bytes is too large for a job: at most 65536",
        bytes);
  };
  as(kUser);
  EXPECT_EQ(error_text([&] { return s.submit(Scenario::jobspec(1, 1, system(65537))); }), refusal(65537));
  request::JobGroup group;
  const std::string text = Scenario::jobspec(1, 1, R"("constraints":{"properties":["^@"]})"),
                    value = R"("^@")";
  const std::size_t place = text.find(value);
  group.jobspec.pieces = {text.substr(0, place), text.substr(place + value.size())};
  group.rows = {{{{R"("^a")"}}}, {{{"\"^" + std::string(70'000, 'a') + '"'}}}};
  EXPECT_NE(error_text([&] { return manager::submit(s.session, {group}); }).find("is too large for a job"),
            std::string::npos);
  const JobId runs = s.submit(4), id = s.submit(Scenario::jobspec(4, 1, system(65536)));
  EXPECT_EQ(update(id, R"({"attributes.system.constraints":)" + constraints(65537) + "}"), refusal(65537));
  EXPECT_EQ(s.states({runs, id}), "R S");
  s.cancel(id);
}

TEST_F(Update, PRIO_16_users_can_only_lower_their_jobs_and_so_reorder_them) {
  // Neither at submission nor later can they have more than what every job has; the owner may raise.
  const auto urgency = [&](JobId id, std::uint8_t value) {
    return error_text([&] {
      const auto reply = manager::set_urgency(s.session, {{id}, value});
      if (!reply.refusals.empty()) throw Error{reply.refusals.at(0).why};
      return 0;
    });
  };
  const std::string refused = "urgency 17 is reserved for the owner: at most 16";
  as(kOwner);
  const JobId fills = s.submit(Scenario::jobspec(4));
  as(kUser);
  EXPECT_EQ(error_text([&] { return s.submit(Scenario::jobspec(4), 17); }), refused);
  const JobId first = s.submit(Scenario::jobspec(4)), second = s.submit(Scenario::jobspec(4));
  EXPECT_EQ(urgency(second, 17), refused);
  EXPECT_EQ(s.job(second).priority, 16U);
  EXPECT_EQ(urgency(first, 15), "no error");
  EXPECT_EQ(urgency(first, 17), refused);
  as(kOwner);
  s.finish(fills);
  EXPECT_EQ(s.states({first, second}), "S R");
  EXPECT_EQ(urgency(first, 17), "no error");
  EXPECT_EQ(s.job(first).priority, 17U);
}

TEST_F(Update, only_the_owner_changes_the_time_limit_of_a_running_job) {
  // Its user could else give himself time that others wait for; while it waits he may ask for what he likes.
  const JobId waits = submit_as(kUser, 0), runs = submit_as(kUser, 16);
  EXPECT_EQ(update(waits, duration(1200)), duration(1200));
  EXPECT_EQ(update(runs, duration(300)),
            fmt::format("the time limit of job {} can be changed by the owner only: it runs",
                        notation::to_f58(runs)));
  EXPECT_EQ(update(runs, R"({"attributes.system.job.name":"new"})"),
            R"({"attributes.system.job.name":"new"})");
  as(kOwner);
  EXPECT_EQ(update(runs, "{}", 60), duration(660));
  EXPECT_EQ(s.job(runs).duration, 660);
  EXPECT_EQ(s.job(runs).name, "new");
}

TEST_F(Update, a_time_limit_takes_no_more_opening_of_the_database_than_a_name) {
  // No program is asked of the new end where none schedules.
  const JobId runs = submit_as(kOwner, 16);
  const UniqueFd watch{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
  // With its closing, for the kernel tells the same twice in a row but once.
  ASSERT_GE(
      ::inotify_add_watch(watch.get(), (s.session.store + "/db/CURRENT").c_str(), IN_OPEN | IN_CLOSE_NOWRITE),
      0);
  const auto opened = [&] {
    int count = 0;
    inotify_event event{};
    while (::read(watch.get(), &event, sizeof event) > 0) count += (event.mask & IN_OPEN) != 0 ? 1 : 0;
    return count;
  };
  EXPECT_EQ(update(runs, R"({"attributes.system.job.name":"new"})"),
            R"({"attributes.system.job.name":"new"})");
  const int by_name = opened();
  EXPECT_EQ(update(runs, duration(1200)), duration(1200));
  EXPECT_GT(by_name, 0);
  EXPECT_EQ(opened(), by_name);
}

TEST_F(Update, a_user_changes_his_own_jobs_only) {
  const JobId theirs = submit_as(kOwner, 0);
  as(kUser);
  EXPECT_EQ(update(theirs, R"({"attributes.system.job.name":"mine"})"),
            fmt::format("job {} belongs to user 1000", notation::to_f58(theirs)));
}

TEST_F(Update, the_owner_makes_exceptions_and_the_user_no_more_changes) {
  // Limits and access of a queue do not bind him for a job of somebody else, which is immutable then; his own
  // jobs are held to them like any.
  as(kOwner);
  const document::ConfigSource source({document::ConfigSource::File{"fq.toml", R"(
policy.jobspec.defaults.system.queue = "short"
[queues.short]
policy.limits.duration = "10m"
[queues.closed]
policy.access.allow-user = ["nobody-of-that-name"]
)"}});
  manager::load_config(s.session, source, false);
  const JobId theirs = submit_as(kUser, 0), runs = submit_as(kUser, 16), own = submit_as(kOwner, 0);
  const auto refused = "queue 'short': duration 1h requested, at most 10m allowed";
  as(kUser);
  EXPECT_EQ(update(theirs, duration(3600)), refused);
  as(kOwner);
  EXPECT_EQ(update(own, duration(3600)), refused);
  EXPECT_EQ(update(theirs, duration(3600)), duration(3600));
  EXPECT_EQ(update(runs, duration(3600)), duration(3600));
  EXPECT_EQ(update(theirs, R"({"attributes.system.queue":"closed"})"),
            R"({"attributes.system.queue":"closed"})");
  EXPECT_EQ(s.job(theirs).queue + " " + s.job(own).queue, "closed short");
  EXPECT_EQ(s.events(theirs),
            "submit jobspec-update validate depend priority jobspec-update priority set-flags jobspec-update "
            "priority");
  as(kUser);
  for (const JobId id : {theirs, runs}) {
    EXPECT_EQ(update(id, R"({"attributes.system.job.name":"x"})"),
              fmt::format("job {} is immutable: the owner has changed it", notation::to_f58(id)));
  }
  as(kOwner);
  s.cancel(theirs);
  s.cancel(own);
}

TEST_F(Update, the_shell_of_a_running_job_is_told_its_new_limit) {
  // Once, and again when a crash came between the commit and the order.
  const JobId id = submit_as(kOwner, 16);
  const double start = s.job(id).t_run;
  update(id, duration(3600));
  EXPECT_EQ(s.job(id).expiration, start + 3600);
  const auto told = [&] { return meeting::expiration_ordered(s.session.files(), id, start + 3600); };
  EXPECT_TRUE(told());
  ::unlink(s.session.files().control(id).c_str());
  EXPECT_FALSE(told());
  s.tick();
  EXPECT_TRUE(told());
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start jobspec-update resource-update");
}

TEST_F(Update, a_shell_that_is_started_again_has_the_new_limit_and_the_new_jobspec) {
  // The first attempt's shell died before it had started a task.
  const JobId id = submit_as(kOwner, 0);
  update(id, R"({"attributes.system.cwd":"/tmp"})");
  manager::UpdateRequest release;
  release.ids = {id};
  release.urgency = 16;
  const auto reply = manager::update_jobs(s.session, release);
  ASSERT_EQ(reply.done.size(), 1U) << reply.refusals.at(0).why.what();
  ASSERT_EQ(s.states({id}), "R");
  EXPECT_NE(s.launcher.shells.at(id).plan.jobspec.find(R"("cwd":"/tmp")"), std::string::npos);
  update(id, duration(7200));
  s.kill_shell(id);
  s.tick();
  EXPECT_EQ(s.launcher.shells.at(id).plan.attempt, 2U);
  EXPECT_EQ(s.launcher.shells.at(id).plan.expiration, s.job(id).expiration);
}

TEST_F(Update, all_of_an_update_or_nothing) {
  // One wrong key keeps the right ones from being applied.
  const JobId id = submit_as(kOwner, 0);
  EXPECT_EQ(update(id, R"({"attributes.system.job.name":"new","tasks":[]})"),
            "'tasks' cannot be changed: only attributes can");
  EXPECT_EQ(s.events(id), "submit validate depend priority");
  EXPECT_EQ(error_text([&] { static_cast<void>(update(id, "[]")); }),
            "updates: expected an object, got an array");
}

TEST_F(Update, a_job_is_placed_anew_by_its_new_limit) {
  // Its class changes with the duration; what was told of its start is void.
  Scenario one(1, 1);
  const JobId a = one.submit(Scenario::jobspec(1, 1, R"("duration":600)")), b = one.submit();
  manager::UpdateRequest request;
  request.ids = {b};
  request.updates = duration(60);
  static_cast<void>(manager::update_jobs(one.session, request));
  EXPECT_EQ(one.events(b), "submit validate depend priority jobspec-update priority");
  one.finish(a);
  EXPECT_EQ(one.states({a, b}), "CD R");
  one.finish(b);
}

}  // namespace
}  // namespace fq::test
