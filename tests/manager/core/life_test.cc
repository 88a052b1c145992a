// Jobs from submission to their end, through real transactions on a real store.

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/jobs/finish.h"
#include "manager/jobs/urgency.h"
#include "manager/look/query.h"
#include "manager/site/queue_admin.h"
#include "records/keys.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using Verb = manager::QueueRequest::Verb;

TEST(Life, R16_16_events_come_in_the_order_of_life) {
  // A job that completes has exactly the events of RFC 21, in order, and its R stays.
  Scenario s;
  const auto id = s.submit();
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start");
  s.finish(id);
  EXPECT_EQ(s.events(id), "submit validate depend priority alloc start finish release free clean");
  EXPECT_EQ(s.states({id}), "CD");
  EXPECT_NE(s.document(id, "R"), "");  // R16.8
}

TEST(Life, R27_16_jobs_start_in_order_and_the_end_of_one_starts_the_next) {
  // With room for one, three jobs run one after the other in submit order.
  Scenario s(1, 1);
  const auto a = s.submit(), b = s.submit(), c = s.submit();
  EXPECT_EQ(s.states({a, b, c}), "R S S");
  s.finish(a);
  EXPECT_EQ(s.states({a, b, c}), "CD R S");
  s.finish(b, 256);
  EXPECT_EQ(s.states({a, b, c}), "CD F R");
  s.finish(c);
}

TEST(Life, PRIO_1_the_highest_urgency_is_served_first) {
  // A later job of higher urgency overtakes; a held one never starts.
  Scenario s(1, 1);
  const auto running = s.submit();
  const auto low = s.submit(Scenario::jobspec(), 5), normal = s.submit(),
             held = s.submit(Scenario::jobspec(), 0), expedited = s.submit(Scenario::jobspec(), 31);
  s.finish(running);
  EXPECT_EQ(s.states({low, normal, held, expedited}), "S S S R");
  EXPECT_EQ(s.job(expedited).priority, 4294967295U);
  s.finish(expedited);
  s.finish(normal);
  s.finish(low);
  EXPECT_EQ(s.states({low, normal, held, expedited}), "CD CD S CD");
  EXPECT_EQ(s.job(held).priority, 0U);
}

TEST(Life, a_job_that_can_never_run_is_refused_and_leaves_no_trace) {
  // The message says what was asked for and what there is; the store holds nothing of it.
  Scenario s(2, 4);
  EXPECT_EQ(error_text([&] { s.submit(9); }),
            "unsatisfiable request: 9 cores requested, the inventory has 8");
  const auto next = s.submit();
  EXPECT_EQ(manager::last_jobs(s.session, s.session.caller.uid, 10), std::vector{next});
  s.finish(next);
}

TEST(Life, dependencies_are_settled_by_what_happens_to_the_other_job) {
  // after: started; afterany: ended; afterok and afternotok: how it ended. What can never be fails the job.
  Scenario s(1, 4);
  const auto on = s.submit(4);
  const auto depending = [&](const char* scheme) {
    return s.submit(Scenario::jobspec(
        1, 1,
        fmt::format(R"("dependencies":[{{"scheme":"{}","value":"{}"}}])", scheme, notation::to_f58(on))));
  };
  const auto after = depending("after"), any = depending("afterany"), ok = depending("afterok"),
             notok = depending("afternotok");
  EXPECT_EQ(s.states({after, any, ok, notok}), "S D D D");
  s.finish(on, 256);
  EXPECT_EQ(s.states({after, any, ok, notok}), "R R F R");
  EXPECT_EQ(s.job(ok).exception.note,
            fmt::format("dependency after-success={} can never be satisfied", notation::to_f58(on)));
  EXPECT_EQ(error_text([&] { depending("afterok"); }),
            fmt::format("dependency 'afterok:{}' can never be satisfied: job {} ended as FAILED",
                        notation::to_f58(on), notation::to_f58(on)));
  EXPECT_EQ(s.states({depending("afternotok")}), "R");
  while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
}

TEST(Life, a_job_with_a_begin_time_starts_when_it_has_come) {
  Scenario s;
  const auto id = s.submit(Scenario::jobspec(
      1, 1, fmt::format(R"("dependencies":[{{"scheme":"begin-time","value":"{}"}}])", s.clock.now() + 60)));
  s.clock.advance(59);
  s.tick();
  EXPECT_EQ(s.states({id}), "D");
  s.clock.advance(2);
  s.tick();
  EXPECT_EQ(s.states({id}), "R");
  s.finish(id);
}

TEST(Life, R33_29_a_stopped_queue_starts_nothing_and_forgets_what_it_told_pending_jobs) {
  Scenario s(1, 1);
  const auto a = s.submit(), b = s.submit();
  const auto reason = [&] {
    std::optional<std::string> text;
    manager::query(s.session,
                   [&](const store::Reader& r) { text = manager::find_listed(r, b).reason_pending; });
    return text.value_or("none");
  };
  EXPECT_EQ(reason(), "1 core requested, 0 free");
  manager::set_queue(s.session, {Verb::stop, "", "maintenance"});
  EXPECT_EQ(reason(), "scheduling is stopped: maintenance");
  manager::query(s.session, [&](const store::Reader& r) {
    EXPECT_FALSE(r.get(store::Family::instance, records::key::annotation(b)));
  });
  s.finish(a);
  EXPECT_EQ(s.states({a, b}), "CD S");
  manager::set_queue(s.session, {Verb::start, "", ""});
  EXPECT_EQ(s.states({a, b}), "CD R");
  s.finish(b);
}

TEST(Life, a_new_urgency_moves_a_pending_job_and_voids_what_the_scheduler_said_of_it) {
  // The log has urgency and priority; the head of the queue is told why it waits, the others are not.
  Scenario s(1, 1);
  const auto a = s.submit(), b = s.submit(), c = s.submit();
  const auto reason = [&](notation::JobId id) {
    std::optional<std::string> text;
    manager::query(s.session,
                   [&](const store::Reader& r) { text = manager::find_listed(r, id).reason_pending; });
    return text.value_or("none");
  };
  EXPECT_EQ(reason(b) + ", " + reason(c), "1 core requested, 0 free, none");
  const auto reply = manager::set_urgency(s.session, {{c, b}, 20});
  ASSERT_EQ(reply.done.size(), 2U);
  EXPECT_EQ(reply.done[0].before, 16);
  static_cast<void>(manager::set_urgency(s.session, {{b}, 0}));
  EXPECT_EQ(reason(b) + ", " + reason(c), "none, 1 core requested, 0 free");
  EXPECT_EQ(s.events(b), "submit validate depend priority urgency priority urgency priority");
  s.finish(a);
  EXPECT_EQ(s.states({a, b, c}), "CD S R");
  EXPECT_EQ(s.job(c).priority, 20U);
  s.finish(c);
}

TEST(Life, R33_28_a_disabled_queue_refuses_submissions_with_its_reason) {
  Scenario s;
  manager::set_queue(s.session, {Verb::disable, "", "moving house"});
  EXPECT_EQ(error_text([&] { s.submit(); }), "job submission is disabled: moving house");
  manager::set_queue(s.session, {Verb::enable, "", ""});
  s.finish(s.submit());
}

TEST(Life, a_clock_that_goes_back_takes_neither_ids_nor_times_back) {
  // Ids go on increasing and no event is older than the one before it.
  Scenario s;
  const auto a = s.submit();
  s.clock.set(s.clock.now() - 86'400);
  const auto b = s.submit();
  EXPECT_LT(a, b);
  EXPECT_LE(s.job(a).t_submit, s.job(b).t_submit);
  s.finish(a);
  s.finish(b);
}

TEST(Life, time_goes_on_after_the_clock_was_set_back) {
  // Nothing freezes until the clock is where it was: times go on with boot time, and what is to come in two
  // seconds comes in two seconds.
  Scenario s(1, 8);
  const auto a = s.submit();
  s.clock.set(s.clock.now() - 3600);
  s.clock.advance(10);
  const auto b = s.submit();
  EXPECT_DOUBLE_EQ(s.job(b).t_submit - s.job(a).t_submit, 10);
  const auto late = s.submit(Scenario::jobspec(
      1, 1,
      fmt::format(R"("dependencies":[{{"scheme":"begin-time","value":"{:.6f}"}}])", s.clock.now() + 2)));
  s.tick();
  EXPECT_EQ(s.states({late}), "D");
  s.clock.advance(1.9);
  s.tick();
  EXPECT_EQ(s.states({late}), "D");
  s.clock.advance(0.2);
  s.tick();
  EXPECT_EQ(s.states({late}), "R");
  for (const auto id : {a, b, late}) s.finish(id);
}

TEST(Life, time_follows_a_clock_that_was_set_forward) {
  // It is the clock that is right, as a rule; when it is set back again time goes on from there.
  Scenario s(1, 8);
  const auto a = s.submit();
  s.clock.set(s.clock.now() + 3600);
  const auto b = s.submit();
  EXPECT_DOUBLE_EQ(s.job(b).t_submit - s.job(a).t_submit, 3600);
  s.clock.set(s.clock.now() - 7200);
  s.clock.advance(1);
  const auto c = s.submit();
  EXPECT_DOUBLE_EQ(s.job(c).t_submit - s.job(b).t_submit, 1);
  for (const auto id : {a, b, c}) s.finish(id);
}

TEST(Life, the_waker_is_told_boot_times) {
  // Of a begin time, and of a running job whose limit its shell has not kept, a second after it; then of each
  // full minute. A clock that is set moves neither.
  Scenario s(1, 8);
  const auto deadline = [&] { return std::string{trim(read_file(s.session.store + "/deadline"))}; };
  const auto a = s.submit(Scenario::jobspec(1, 1, R"("duration":60)"));
  EXPECT_EQ(deadline(), "1061.000000");
  s.clock.set(s.clock.now() - 3600);
  const auto late = s.submit(Scenario::jobspec(
      1, 1,
      fmt::format(R"("dependencies":[{{"scheme":"begin-time","value":"{:.6f}"}}])", s.clock.now() + 2)));
  EXPECT_EQ(deadline(), "1002.000000");
  s.clock.advance(2);
  s.tick();
  EXPECT_EQ(s.states({late}), "R");
  EXPECT_EQ(deadline(), "1061.000000");
  s.clock.advance(59);
  s.tick();
  EXPECT_EQ(deadline(), "1080.000000");
  s.finish(a);
  EXPECT_EQ(deadline(), "running");
  s.finish(late);
  EXPECT_EQ(deadline(), "idle");
}

TEST(Life, a_clock_that_is_set_a_year_ahead_and_back_ends_no_job) {
  // Nor does a job run for a year, or less than nothing, because of it; ids go on increasing.
  Scenario s(1, 8);
  const auto limited = [&] { return s.submit(Scenario::jobspec(1, 1, R"("duration":3600)")); };
  const auto a = limited();
  s.clock.advance(10);
  s.clock.set(s.clock.now() + 365 * 86'400.0);
  const auto b = limited();
  s.tick();
  EXPECT_EQ(s.states({a, b}), "R R");
  const double ahead = s.clock.now();
  s.clock.set(ahead - 366 * 86'400.0);
  const auto c = limited();
  s.clock.advance(10);
  s.tick();
  EXPECT_EQ(s.states({a, b, c}), "R R R");
  EXPECT_LT(a, b);
  EXPECT_LT(b, c);
  EXPECT_EQ(s.launcher.shells.at(c).plan.expiration - s.launcher.shells.at(c).plan.time, 3600);
  // Its shell ends it by a clock that tells another time than the store's.
  manager::transact(s.session, [&](manager::Change& change) {
    manager::FinishRequest request;
    request.id = c;
    request.t_finish = s.clock.now();
    manager::finish_job(change, request);
  });
  s.launcher.shells.erase(c);
  s.finish(a);
  s.finish(b);
  EXPECT_EQ(s.states({a, b, c}), "CD CD CD");
  for (const auto id : {a, b, c}) EXPECT_GE(s.job(id).t_inactive, s.job(id).t_run);
  EXPECT_GE(s.job(c).t_cleanup, s.job(c).t_run);
}

TEST(Life, a_pass_that_could_start_many_starts_them_in_portions) {
  // 600 jobs that fit all start at once, though one pass starts 256.
  Scenario s(10, 64);
  manager::set_queue(s.session, {Verb::stop, "", ""});
  request::JobGroup request;
  request.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
  request.copies = notation::Idset::from_range(0, 599);
  const auto ids = manager::submit(s.session, {request});
  manager::set_queue(s.session, {Verb::start, "", ""});
  EXPECT_EQ(s.launcher.started, 600U);
  for (const notation::JobId id : {ids.front(), ids.back()}) s.finish(id);
  EXPECT_EQ(s.states({ids.front(), ids.back()}), "CD CD");
}

TEST(Life, jobs_of_one_request_have_their_own_names) {
  // Where texts stand in the name or the program, each record says its own; the first one may be any text.
  Scenario s;
  const std::string jobspec = Scenario::jobspec();
  request::JobGroup request;
  const std::size_t at = jobspec.find("\"true\"");
  ASSERT_NE(at, std::string::npos) << jobspec;
  request.jobspec.pieces = {jobspec.substr(0, at), jobspec.substr(at + 6)};
  for (const char* text : {R"("another")", R"("b/c","d")", R"("another")"})
    request.rows.push_back({request::NumberedText{{text}}});
  std::string names;
  for (const auto id : manager::submit(s.session, {request})) {
    names += s.job(id).name + " ";
    s.finish(id);
  }
  EXPECT_EQ(names, "another c another ");
}

}  // namespace
}  // namespace fq::test
