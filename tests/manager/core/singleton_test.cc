// Jobs of one name, one after the other.

#include <gtest/gtest.h>

#include "manager/jobs/update.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

// A job that was given a name, and may wait until nobody else has it.
std::string named_job(const std::string& name, bool singleton, const std::string& more = {}) {
  std::string dependencies = singleton ? R"({"scheme":"singleton","value":""})" : "";
  if (!more.empty()) dependencies += (singleton ? "," : "") + more;
  return Scenario::jobspec(
      1, 1,
      fmt::format(R"("job":{{"name":"{}"}}{})", name,
                  dependencies.empty() ? "" : ",\"dependencies\":[" + dependencies + "]"));
}

TEST(Singleton, singletons_of_one_name_run_one_after_the_other) {
  // In the order of submission, whatever else of that name runs; other names do not matter.
  Scenario s(1, 8);
  const auto plain = s.submit(named_job("x", false));
  const auto a = s.submit(named_job("x", true)), b = s.submit(named_job("x", true)),
             other = s.submit(named_job("y", true));
  const auto unnamed = s.submit();
  EXPECT_EQ(s.states({plain, a, b, other, unnamed}), "R D D R R");
  EXPECT_EQ(s.events(a), "submit dependency-add validate");
  s.finish(plain, 256);
  EXPECT_EQ(s.states({plain, a, b}), "F R D");
  const auto late = s.submit(named_job("x", false));
  EXPECT_EQ(s.states({late}), "R");
  s.finish(a);
  EXPECT_EQ(s.states({a, b, late}), "CD D R");
  s.finish(late);
  EXPECT_EQ(s.states({b}), "R");
  for (const auto id : {b, other, unnamed}) s.finish(id);
  EXPECT_EQ(s.faults(), "");
}

TEST(Singleton, singletons_of_one_request_wait_for_each_other) {
  // All but the first; each end lets the next one go.
  Scenario s(1, 8);
  request::JobGroup request;
  request.jobspec.pieces = {named_job("x", true)};
  request.rows.resize(3);
  const auto ids = manager::submit(s.session, {request});
  EXPECT_EQ(s.states(ids), "R D D");
  s.finish(ids[0]);
  EXPECT_EQ(s.states(ids), "CD R D");
  s.finish(ids[1]);
  s.finish(ids[2]);
  EXPECT_EQ(s.states(ids), "CD CD CD");
}

TEST(Singleton, a_singleton_that_is_canceled_lets_the_others_be) {
  // One that waits has no part in who has the name; one that had it gives way.
  Scenario s(1, 8);
  const auto a = s.submit(named_job("x", true)), b = s.submit(named_job("x", true)),
             c = s.submit(named_job("x", true));
  s.cancel(b);
  EXPECT_EQ(s.states({a, b, c}), "R CA D");
  s.cancel(a);
  s.finish(a);
  EXPECT_EQ(s.states({a, c}), "CA R");
  s.finish(c);
}

TEST(Singleton, a_singleton_waits_for_its_other_dependencies_too) {
  // Once it has the name it keeps it, so that others wait although it does not run yet.
  Scenario s(1, 8);
  const auto on = s.submit();
  const auto a = s.submit(
      named_job("x", true, fmt::format(R"({{"scheme":"afterok","value":"{}"}})", notation::to_f58(on))));
  const auto b = s.submit(named_job("x", true));
  EXPECT_EQ(s.states({a, b}), "D D");
  s.finish(on);
  EXPECT_EQ(s.states({a, b}), "R D");
  s.finish(a);
  EXPECT_EQ(s.states({b}), "R");
  s.finish(b);
}

TEST(Singleton, a_singleton_follows_a_change_of_names) {
  // Who gives a name up lets the next one go; who waits goes where the name is free.
  Scenario s(1, 8);
  const auto rename = [&](notation::JobId id, const char* name) {
    manager::UpdateRequest request;
    request.ids = {id};
    request.updates = fmt::format(R"({{"attributes.system.job.name":"{}"}})", name);
    const auto reply = manager::update_jobs(s.session, request);
    EXPECT_TRUE(reply.refusals.empty()) << reply.refusals.front().why.what();
  };
  const auto x = s.submit(named_job("x", false)), y = s.submit(named_job("y", false));
  const auto a = s.submit(named_job("x", true)), b = s.submit(named_job("x", true)),
             c = s.submit(named_job("y", true));
  EXPECT_EQ(s.states({a, b, c}), "D D D");
  rename(c, "z");
  EXPECT_EQ(s.states({a, b, c}), "D D R");
  rename(x, "w");
  EXPECT_EQ(s.states({a, b}), "R D");
  rename(b, "y");
  EXPECT_EQ(s.states({b}), "D");
  s.finish(y);
  EXPECT_EQ(s.states({b}), "R");
  for (const auto id : {x, a, b, c}) s.finish(id);
}

TEST(Singleton, a_singleton_needs_a_name_of_its_own) {
  // The program's name is not meant to be anybody's alone.
  Scenario s;
  EXPECT_EQ(error_text([&] {
              s.submit(Scenario::jobspec(1, 1, R"("dependencies":[{"scheme":"singleton","value":""}])"));
            }),
            "dependency 'singleton' needs a job that was given a name (--job-name=NAME)");
}
}  // namespace
}  // namespace fq::test
