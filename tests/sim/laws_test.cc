// Laws of the queue, by random workloads through its whole state machine.

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "manager/check/fsck.h"
#include "manager/core/change.h"
#include "records/advance_reservations.h"
#include "request/account_tables.h"
#include "sim/machine.h"
#include "sim/support.h"

namespace fq::sim {
namespace {

using document::DependencyKind;
using document::ResourceSet;
using test::configuration;
using test::traced;

constexpr double kEpoch = 1'000'000'000;

template <typename T>
T between(T from, T to) {
  return *rc::gen::inRange<T>(from, to);
}

// Queues a and b share node 1; c has scheme and scheduler of its own and shares node 2 with b.
const char* const kQueues =
    R"({"policy":{"jobspec":{"defaults":{"system":{"queue":"a"}}},"scheduler":{"name":"easy"}},
        "queues":{"a":{"hosts":"n[0-1]"},"b":{"hosts":"n[1-2]","policy":{"scheduler":{"name":"conservative"}}},
                  "c":{"hosts":"n[2-3]","policy":{"scheduler":{"name":"fcfs"},"priority":{"scheme":"multifactor"}}}}})";
const std::map<std::string, std::string> kNodes{{"a", "0-1"}, {"b", "1-2"}, {"c", "2-3"}};

// Times on a coarse grid, so that many things happen at once.
Trace any_workload(std::size_t most, bool queues) {
  constexpr double kGrain = 10;
  Trace trace;
  const auto count = between<std::size_t>(1, most);
  double submit = 0;
  for (std::uint64_t id = 1; id <= count; ++id) {
    submit += kGrain * between(0, 3);
    TraceJob job = traced(id, submit, kGrain * between(0, 20), between(1U, 5U), 0, between(1, 4));
    job.limit = between(0, 4) == 0 ? 0 : kGrain * between(1, 20);
    job.gpus = between(0, 4) == 0 ? 1 : 0;
    job.cores = between(1U, 3U);
    if (between(0, 3) == 0) {
      job.nodes = between(1U, 3U);
      job.processors = job.nodes * between(1U, 3U);
      job.exclusive = between(0, 2) == 0;
    }
    if (queues) job.queue = between(1, 4);
    if (id > 1 && between(0, 3) == 0) {
      const DependencyKind kinds[] = {DependencyKind::after_start, DependencyKind::after_any,
                                      DependencyKind::after_ok, DependencyKind::after_notok};
      job.after.emplace_back(kinds[between(0, 4)], between<std::uint64_t>(1, id));
    }
    trace.jobs.push_back(std::move(job));
  }
  return trace;
}

SimulateOptions looking() {
  SimulateOptions options;
  options.keep_resources = true;
  return options;
}

void require_disjoint(const std::vector<JobRun>& runs, const Trace& trace) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (std::size_t k = i + 1; k < runs.size() && runs[k].start < runs[i].end; ++k) {
      if (runs[k].end <= runs[k].start) continue;
      RC_ASSERT(!runs[i].R.overlaps(runs[k].R));
      for (const JobRun* each : {&runs[i], &runs[k]}) {
        const JobRun& other = each == &runs[i] ? runs[k] : runs[i];
        if (trace.jobs[each->id - 1].exclusive) RC_ASSERT(each->R.ranks().intersect(other.R.ranks()).empty());
      }
    }
  }
}

TEST(Laws, nothing_is_given_twice_nor_before_its_time_nor_outside_of_its_queue) {
  const auto holds = [] {
    const Trace trace = any_workload(40, true);
    SimulateOptions options = looking();
    options.prepare = [](manager::Change& change) {
      document::AdvanceReservation kept;
      kept.number = records::take_reservation_number(change.transaction());
      kept.ranks = notation::Idset::decode("1");
      kept.start = kEpoch + 100;
      kept.end = kEpoch + 200;
      kept.userids = {2};
      records::write_advance_reservation(change.transaction(), kept);
    };
    std::vector<std::string> faults;
    options.look = [&](manager::Change& change) {
      faults = manager::check_whole_store(change.transaction());
    };
    const Outcome outcome = simulate(trace, configuration(kQueues, 4, 4, 1), options);
    RC_ASSERT(faults == std::vector<std::string>{});
    RC_ASSERT(outcome.runs.size() + outcome.denied.size() + outcome.waiting.size() == trace.jobs.size());
    require_disjoint(outcome.runs, trace);
    std::map<std::uint64_t, const JobRun*> by_id;
    for (const JobRun& run : outcome.runs) by_id[run.id] = &run;
    for (const JobRun& run : outcome.runs) {
      const auto allowed = notation::Idset::decode(kNodes.at(run.queue));
      RC_ASSERT(run.R.ranks().subtract(allowed).empty());
      for (const auto& [kind, on] : trace.jobs[run.id - 1].after) {
        const auto before = by_id.find(on);
        if (before == by_id.end()) {
          // It was denied when its turn came, which is an end without success.
          RC_ASSERT(kind == DependencyKind::after_any || kind == DependencyKind::after_notok);
          continue;
        }
        RC_ASSERT(run.start >=
                  (kind == DependencyKind::after_start ? before->second->start : before->second->end));
        if (kind == DependencyKind::after_ok) RC_ASSERT(!before->second->timed_out);
        if (kind == DependencyKind::after_notok) RC_ASSERT(before->second->timed_out);
      }
      // Who runs already is left alone.
      const bool in_time = run.start < 200 && run.end > 100 && run.start >= 0;
      const bool could_know = run.user != 2 && run.R.ranks().contains(1) && in_time;
      if (could_know) RC_ASSERT(run.end <= 100 || run.start >= 200 || run.start == run.end);
    }
  };
  EXPECT_TRUE(rc::check("nothing is given twice, too early or outside", holds));
}

TEST(Laws, under_fcfs_a_queue_starts_in_its_order) {
  const auto holds = [] {
    Trace trace = any_workload(40, false);
    for (TraceJob& job : trace.jobs) job.after.clear();
    const Outcome outcome =
        simulate(trace, configuration(R"({"policy":{"scheduler":{"name":"fcfs"}}})", 3, 4, 1), looking());
    std::map<std::uint64_t, double> starts;
    for (const JobRun& run : outcome.runs) starts[run.id] = run.start;
    double last = 0;
    for (const auto& [id, start] : starts) {
      RC_ASSERT(start >= last);
      last = start;
    }
    RC_ASSERT(outcome.waiting.empty());
  };
  EXPECT_TRUE(rc::check("fcfs keeps the order", holds));
}

TEST(Laws, of_two_queues_that_cannot_be_compared_neither_starves) {
  // Both have work always, on nodes that they share; jobs of one priority scheme would be ahead of the
  // other's for ever.
  Trace trace;
  for (std::uint64_t id = 1; id <= 400; ++id) {
    TraceJob job = traced(id, 0, 100, 4, 100);
    job.queue_name = id % 2 == 0 ? "x" : "y";
    trace.jobs.push_back(job);
  }
  const Outcome outcome = simulate(trace, configuration(
                                              R"({"policy":{"jobspec":{"defaults":{"system":{"queue":"x"}}}},
                     "queues":{"x":{"hosts":"all"},"y":{"hosts":"all","policy":{"priority":{"scheme":"multifactor"}}}}})",
                                              1, 4));
  ASSERT_EQ(outcome.runs.size(), 400U);
  std::map<std::string, int> started;
  for (const JobRun& run : outcome.runs) {
    ++started[run.queue];
    EXPECT_LE(std::abs(started["x"] - started["y"]), 1);
  }
}

TEST(Laws, a_large_job_under_a_limit_of_what_is_in_use_starts_although_small_ones_keep_coming) {
  request::AccountTables accounts;
  request::read_bank_table("bank,parent_bank,shares\nroot,,1\nphysics,root,1\n", "banks", accounts);
  request::read_user_table("username,userid,bank,shares,max_cores\nada,1,physics,1,8\n", "users", accounts);
  Trace trace;
  for (std::uint64_t id = 1; id <= 300; ++id) {
    const bool large = id == 30;
    trace.jobs.push_back(traced(id, 5.0 * static_cast<double>(id), large ? 20 : 50, large ? 8 : 1, 60));
  }
  SimulateOptions options;
  options.accounts = accounts;
  const Outcome outcome = simulate(trace, configuration("{}", 1, 32), options);
  ASSERT_EQ(outcome.runs.size(), 300U);
  double large = 0, latest_before = 0;
  for (const JobRun& run : outcome.runs) {
    if (run.id == 30) large = run.start;
  }
  std::size_t came_later = 0;
  for (const JobRun& run : outcome.runs) {
    if (run.id < 30) latest_before = std::max(latest_before, run.end);
    if (run.id > 30 && run.start < large) ++came_later;
  }
  EXPECT_EQ(came_later, 0U);
  EXPECT_LE(large, latest_before);
}

TEST(Laws, what_time_alone_lets_start_starts_at_that_instant) {
  // A reservation that is over, and a month that begins, in a store in which nothing else happens: the
  // transaction that the store's own timer asks for starts the job.
  const auto holds = [] {
    constexpr double kMonthBegins = 1'001'894'400;  // the first of October 2001
    const double from = between(0, 2000), until = from + between(100, 5000);
    const bool all = between(0, 2) == 0;
    SimulateOptions options;
    request::read_bank_table("bank,parent_bank,shares\nroot,,1\nphysics,root,1\n", "banks", options.accounts);
    request::read_user_table(
        "username,userid,bank,shares,max_core_hours\nada,1,physics,1,2\nbob,2,physics,1,\n", "users",
        options.accounts);
    options.prepare = [&](manager::Change& change) {
      document::AdvanceReservation kept;
      kept.number = records::take_reservation_number(change.transaction());
      kept.ranks = notation::Idset::decode(all ? "0-1" : "1");
      kept.start = kEpoch + from;
      kept.end = kEpoch + until;
      records::write_advance_reservation(change.transaction(), kept);
    };
    const double length = between(1, 3600);
    Trace trace;
    // Bob's job needs both nodes: it waits where it would run into the reservation, until that is over.
    const double submit = between(0, 8000);
    trace.jobs.push_back(traced(1, 0, 0, 1, 1, 2));
    trace.jobs.push_back(traced(2, submit, length, 8, length, 2));
    const bool waits = submit < until && submit + length > from;
    const double start = waits ? until : submit;
    // Ada has used half of her budget, and may not use the other one twice.
    trace.jobs.push_back(traced(3, 20'000, 3600, 1, 3600, 1));
    trace.jobs.push_back(traced(4, 30'000, 5400, 1, 5400, 1));
    const Outcome outcome = simulate(trace, configuration("{}", 2, 4), options);
    std::map<std::uint64_t, double> starts;
    for (const JobRun& run : outcome.runs) starts[run.id] = run.start;
    RC_ASSERT(starts.size() == 4U);
    RC_ASSERT(starts[2] == start);
    RC_ASSERT(starts[3] == 20'000);
    RC_ASSERT(starts[4] == kMonthBegins - kEpoch);
  };
  EXPECT_TRUE(rc::check("time starts jobs", holds));
}

TEST(Laws, on_a_day_nobody_is_preempted_twice_within_a_minute) {
  // Long jobs of standby, and others that come the whole day, often two within the minute, and stay for
  // seconds.
  Trace trace;
  std::uint64_t id = 0;
  for (; id < 6; ++id) {
    trace.jobs.push_back(traced(id + 1, 0, 4 * 3600, 2, 8 * 3600));
    trace.jobs.back().qos = "standby";
  }
  std::uint32_t random = 1;
  for (double submit = 60; submit < 86400; submit += 3 + random % 40) {
    random = random * 1664525 + 1013904223;
    trace.jobs.push_back(traced(++id, submit, 1 + random / 7 % 15, 1 + random / 11 % 6, 30, 2));
  }
  const Outcome outcome =
      simulate(trace, configuration(R"({"policy":{"scheduler":{"preempt":["standby"]}}})", 1, 8));
  EXPECT_TRUE(outcome.denied.empty());
  std::map<std::uint64_t, double> last;
  std::size_t again = 0;
  std::vector<JobRun> cut_off;
  for (const JobRun& run : outcome.runs) {
    if (run.cut_off) cut_off.push_back(run);
  }
  std::sort(cut_off.begin(), cut_off.end(), [](const JobRun& a, const JobRun& b) { return a.end < b.end; });
  for (const JobRun& run : cut_off) {
    const auto before = last.find(run.id);
    if (before != last.end()) {
      EXPECT_GE(run.end - before->second, 60) << "job " << run.id << " at " << run.end;
      ++again;
    }
    last[run.id] = run.end;
  }
  EXPECT_GT(again, 100U) << "jobs are preempted again and again";
  EXPECT_TRUE(outcome.waiting.empty());
}

TEST(Laws, one_users_many_classes_do_not_keep_another_users_job_from_being_looked_at) {
  // More of them than a queue looks at, none of which may start: they would delay the first one.
  Trace trace;
  trace.jobs.push_back(traced(1, 0, 1000, 600, 1000, 1));
  trace.jobs.push_back(traced(2, 1, 10, 1000, 10, 1));
  for (std::uint64_t id = 3; id <= 301; ++id)
    trace.jobs.push_back(traced(id, 1, 10, static_cast<std::uint32_t>(id), 5000, 1));
  trace.jobs.push_back(traced(302, 2, 10, 1, 10, 2));
  const Outcome outcome = simulate(trace, configuration("{}", 1, 1000));
  ASSERT_EQ(outcome.runs.size(), 302U);
  for (const JobRun& run : outcome.runs) {
    if (run.id == 302) {
      EXPECT_EQ(run.start, 2);
    }
  }
}

TEST(Laws, within_a_month_three_banks_get_what_their_shares_give_them) {
  // PRIO: with work always there for everybody.
  request::AccountTables accounts;
  request::read_bank_table("bank,parent_bank,shares\nroot,,1\na,root,1\nb,root,2\nc,root,5\n", "banks",
                           accounts);
  request::read_user_table("username,userid,bank,shares\nu1,1,a,1\nu2,2,b,1\nu3,3,c,1\nu4,4,c,1\n", "users",
                           accounts);
  Trace trace;
  constexpr double kMonth = 30 * 86400;
  constexpr std::uint64_t kUsers = 4, kJobsEach = 1500;
  for (std::uint64_t n = 0; n < kJobsEach * kUsers; ++n) {
    const double length = 3600.0 * static_cast<double>(1 + n * 7919 % 11);
    trace.jobs.push_back(traced(n + 1, 0, length, 1, length, static_cast<std::int64_t>(n % kUsers) + 1));
  }
  SimulateOptions options;
  options.accounts = accounts;
  const Outcome outcome = simulate(
      trace,
      configuration(R"({"policy":{"priority":{"scheme":"multifactor"},"scheduler":{"name":"fcfs"}}})", 1, 16),
      options);
  std::map<std::int64_t, double> delivered;
  double sum = 0;
  for (const JobRun& run : outcome.runs) {
    const double seconds = std::max(0.0, std::min(run.end, kMonth) - run.start);
    delivered[run.user] += seconds;
    sum += seconds;
  }
  ASSERT_NEAR(sum, kMonth * 16, kMonth * 16 * 0.001) << "there is work for all of the month";
  EXPECT_NEAR(delivered[1] / sum, 1.0 / 8, 0.02);
  EXPECT_NEAR(delivered[2] / sum, 2.0 / 8, 0.02);
  EXPECT_NEAR((delivered[3] + delivered[4]) / sum, 5.0 / 8, 0.02);
  EXPECT_NEAR(delivered[3] / sum, delivered[4] / sum, 0.02);
}

}  // namespace
}  // namespace fq::sim
