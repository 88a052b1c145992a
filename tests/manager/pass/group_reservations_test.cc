// What is reserved for jobs that wait, from one pass to the next.

#include "manager/pass/group_reservations.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/text.h"
#include "manager/look/query.h"
#include "manager/pass/period_timer.h"
#include "manager/pass/stored_pool.h"
#include "manager/pass/stored_reservations.h"
#include "manager/site/configure.h"
#include "manager/site/drain.h"
#include "records/keys.h"
#include "support/scenario.h"

namespace fq::manager {
namespace {

using notation::JobId;
using test::Scenario;

class Reservations : public testing::Test {
 protected:
  ~Reservations() override {
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }
  static std::string lasts(double seconds, std::uint32_t slots) {
    return Scenario::jobspec(slots, 1, fmt::format(R"("duration":{})", seconds));
  }
  // At the beginning of a period of a minute.
  void begin_period() { s.clock.advance(60 - std::fmod(now(), 60)); }
  [[nodiscard]] double now() {
    s.tick();
    double time = 0;
    transact(s.session, [&](Change& change) { time = change.now(); });
    return time;
  }
  // `ƒ3@600 rank0/core[0-1]`, the times after `from`.
  std::string reserved(double from) {
    std::string text;
    query(s.session, [&](const store::Reader& reader) {
      text.clear();
      const auto pool = load_pool(reader);
      for (const sched::Reservation& each : read_reservations(reader, pool->inventory())) {
        text += fmt::format("{}{}@{} {}{}", text.empty() ? "" : "; ", each.id, std::round(each.start - from),
                            each.R.summary(), each.stale ? " stale" : "");
      }
    });
    return text;
  }
  void load(const std::string& text) {
    load_config(s.session, document::ConfigSource({document::ConfigSource::File{"fq.toml", text}}), false);
  }
  void drain(const std::string& ranks) {
    DrainRequest request;
    request.targets = ranks;
    drain_nodes(s.session, request);
  }

  Scenario s{3, 1};
};

TEST_F(Reservations, the_job_of_highest_urgency_has_the_place_as_soon_as_it_comes) {
  const double from = now();
  s.submit(lasts(600, 2));
  const JobId first = s.submit(lasts(50, 3));
  EXPECT_EQ(reserved(from), fmt::format("{}@600 rank[0-2]/core0", first));
  s.clock.advance(1);
  const JobId urgent = s.submit(lasts(70, 2), 20);
  EXPECT_EQ(reserved(from), fmt::format("{}@600 rank[0-1]/core0", urgent));
}

TEST_F(Reservations, one_holds_until_the_next_period_against_a_job_that_time_brings_before_its_own) {
  // The first has waited as long as counts; eight minutes after it came the other, of higher urgency, passes
  // it.
  load(
      "[policy.priority]\nscheme = 'multifactor'\nmax-wait = '10m'\nweights.user = 1000\n"
      "weights.wait-time = 1000\n");
  begin_period();
  s.clock.advance(30);
  const double from = now();
  s.submit(lasts(7200, 2));
  const JobId first = s.submit(lasts(50, 3), 10);
  s.clock.advance(300);
  const JobId other = s.submit(lasts(70, 2));
  const auto at = [&](double seconds) {
    s.clock.advance(from + seconds - now());
    s.tick();
    return reserved(from);
  };
  const std::string kept = fmt::format("{}@7200 rank[0-2]/core0", first);
  EXPECT_EQ(at(770), kept);
  EXPECT_EQ(at(790), kept);
  query(s.session, [&](const store::Reader& reader) {
    const auto timer = period_timer(reader);
    ASSERT_TRUE(timer.has_value()) << "something is free, so that its turn is looked at then";
    EXPECT_NEAR(static_cast<double>(records::key::indexed_time(*timer)) * 1e-6, from + 810, 1);
  });
  EXPECT_EQ(at(811), fmt::format("{}@7200 rank[0-1]/core0", other));
}

TEST_F(Reservations, one_is_planned_anew_when_a_job_on_its_nodes_ends_at_another_time) {
  // It ends early, or may go on for longer; the one that comes after it moves with it.
  load("policy.scheduler.name = 'conservative'\n");
  const double from = now();
  const JobId running = s.submit(lasts(600, 2));
  const JobId other = s.submit(lasts(300, 1));
  const JobId first = s.submit(lasts(50, 3)), second = s.submit(lasts(50, 3));
  s.tick();
  EXPECT_EQ(reserved(from), fmt::format("{}@600 rank[0-2]/core0; {}@650 rank[0-2]/core0", first, second));
  s.finish(running);
  EXPECT_EQ(reserved(from), fmt::format("{}@300 rank[0-2]/core0; {}@350 rank[0-2]/core0", first, second));
  s.finish(other);
  EXPECT_EQ(s.states({first, second}), "R S");
}

TEST_F(Reservations, one_outlives_nodes_that_are_down_for_an_hour) {
  const double from = now();
  s.submit(lasts(7200, 1));
  const JobId waits = s.submit(lasts(50, 3));
  drain("2");
  // It would run into what is reserved.
  const JobId other = s.submit(lasts(10'000, 1));
  EXPECT_EQ(s.states({waits, other}), "S S");
  query(s.session, [&](const store::Reader& reader) {
    const auto timer = period_timer(reader);
    ASSERT_TRUE(timer.has_value());
    EXPECT_NEAR(static_cast<double>(records::key::indexed_time(*timer)) * 1e-6, from + 3600, 1);
  });
  s.clock.advance(3598);
  s.tick();
  EXPECT_EQ(s.states({waits, other}), "S S");
  EXPECT_EQ(reserved(from), fmt::format("{}@7200 rank[0-2]/core0", waits));
  s.clock.advance(3);
  s.tick();
  EXPECT_EQ(s.states({waits, other}), "S R");
  EXPECT_EQ(reserved(from), "");
}

TEST_F(Reservations, one_whose_nodes_come_back_within_the_hour_is_kept) {
  const double from = now();
  const JobId running = s.submit(lasts(7200, 1));
  const JobId waits = s.submit(lasts(50, 3));
  drain("2");
  const JobId other = s.submit(lasts(10'000, 1));
  s.clock.advance(3000);
  undrain_nodes(s.session, "2", false, "");
  s.clock.advance(1000);
  s.tick();
  EXPECT_EQ(s.states({waits, other}), "S S");
  EXPECT_EQ(reserved(from), fmt::format("{}@7200 rank[0-2]/core0", waits));
  s.finish(running);
  EXPECT_EQ(s.states({waits, other}), "R S");
}

}  // namespace
}  // namespace fq::manager
