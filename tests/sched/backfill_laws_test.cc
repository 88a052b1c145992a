// Laws of the schedulers, by random workloads on a pretended machine.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sched/cluster.h"
#include "sched/random.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using test::between;
using test::Cluster;
using test::ClusterJob;
using test::kNow;
using test::nodes;

// Jobs of whole nodes, with times on a coarse grid, so that many ends and arrivals meet.
std::vector<ClusterJob> workload(std::uint32_t machine, bool exact, double grain) {
  std::vector<ClusterJob> jobs;
  const auto count = between<std::uint64_t>(1, 60);
  double submit = kNow;
  for (std::uint64_t id = 1; id <= count; ++id) {
    submit += grain * between(0, 4);
    ClusterJob job{id, submit, nodes(between<std::uint32_t>(1, machine + 1)), 0, 0};
    job.request.priority = 16;
    job.request.duration = grain * between(1, 30);
    if (!exact) job.runtime = job.request.duration * between(1, 100) / 100.0;
    jobs.push_back(job);
  }
  return jobs;
}

Cluster::Schedulers all_by(const std::string& name, std::uint32_t queue_depth = 1000000) {
  Parameters parameters;
  parameters.name = name;
  parameters.queue_depth = queue_depth;
  return [parameters](const std::string& queue) { return make_scheduler(parameters, queue); };
}

std::vector<test::Shape> single_cores(std::uint32_t machine) {
  return std::vector<test::Shape>(machine, test::Shape{1, 0});
}

// EASY back-fill as a textbook has it: nodes are counted, all that waits is looked at each time, and only the
// head has a time: the shadow, beside which some nodes are left over.
std::map<std::uint64_t, double> textbook(std::vector<ClusterJob> waiting, std::uint32_t machine) {
  std::map<std::uint64_t, double> starts;
  std::multimap<double, std::uint32_t> ends;
  std::uint32_t free = machine;
  const auto start = [&](const ClusterJob& job, double now) {
    starts[job.id] = now;
    ends.emplace(now + job.request.duration, job.request.counts.nnodes);
    free -= job.request.counts.nnodes;
  };
  for (double now = kNow; !waiting.empty();) {
    for (; !ends.empty() && ends.begin()->first <= now; ends.erase(ends.begin()))
      free += ends.begin()->second;
    const auto come = [&](const ClusterJob& job) { return job.submit <= now; };
    auto head = waiting.begin();
    while (head != waiting.end() && come(*head) && head->request.counts.nnodes <= free) {
      start(*head, now);
      head = waiting.erase(head);
    }
    if (head != waiting.end() && come(*head)) {
      const std::uint32_t wanted = head->request.counts.nnodes;
      double shadow = now;
      std::uint32_t then = free;
      for (auto end = ends.begin(); then < wanted;) {
        shadow = end->first;
        for (; end != ends.end() && end->first == shadow; ++end) then += end->second;
      }
      std::uint32_t over = then - wanted;
      for (auto next = std::next(head); next != waiting.end() && come(*next);) {
        const std::uint32_t n = next->request.counts.nnodes;
        const bool in_time = now + next->request.duration <= shadow;
        if (n > free || (!in_time && n > over)) {
          ++next;
          continue;
        }
        if (!in_time) over -= n;
        start(*next, now);
        next = waiting.erase(next);
      }
    }
    double later = std::numeric_limits<double>::infinity();
    if (!ends.empty()) later = ends.begin()->first;
    for (const ClusterJob& job : waiting) {
      if (job.submit > now) later = std::min(later, job.submit);
    }
    now = later;
  }
  return starts;
}

std::map<std::uint64_t, double> starts_of(const Cluster& cluster) {
  std::map<std::uint64_t, double> starts;
  for (const auto& [id, run] : cluster.runs) starts[id] = run.start;
  return starts;
}

RC_GTEST_PROP(EasyLaws, schedules_as_the_textbook_does, ()) {
  // With durations of one bucket, too.
  const auto machine = between<std::uint32_t>(1, 12);
  const double grain = *rc::gen::element(1.0, 60.0, 0.01);
  const auto jobs = workload(machine, true, grain);
  Cluster cluster(single_cores(machine), all_by("easy"));
  cluster.run(jobs);
  RC_ASSERT(starts_of(cluster) == textbook(jobs, machine));
}

RC_GTEST_PROP(EasyLaws, the_head_starts_no_later_than_first_promised, ()) {
  const auto machine = between<std::uint32_t>(1, 12);
  Cluster cluster(single_cores(machine), all_by("easy"));
  cluster.run(workload(machine, true, 10));
  for (const auto& [id, time] : cluster.promised) RC_ASSERT(cluster.runs.at(id).start <= time);
}

RC_GTEST_PROP(ConservativeLaws, nobody_starts_later_than_first_promised, ()) {
  // On nodes that differ, where jobs share them, and also when they end early.
  std::vector<test::Shape> shapes;
  const auto machine = between<std::uint32_t>(1, 6);
  for (std::uint32_t i = 0; i < machine; ++i)
    shapes.push_back({between<std::uint32_t>(1, 5), between<std::uint32_t>(0, 2)});
  const bool exact = *rc::gen::arbitrary<bool>();
  std::vector<ClusterJob> jobs = workload(machine, exact, 10);
  for (ClusterJob& job : jobs) {
    if (*rc::gen::arbitrary<bool>()) continue;
    const double duration = job.request.duration;
    job.request =
        test::slots(between<std::uint32_t>(1, 7), between<std::uint32_t>(1, 3), between<std::uint32_t>(0, 2));
    job.request.priority = 16;
    job.request.duration = duration;
  }
  Cluster cluster(shapes, all_by("conservative"));
  cluster.run(jobs);
  for (const auto& [id, time] : cluster.promised) {
    RC_ASSERT(cluster.runs.contains(id));
    RC_ASSERT(cluster.runs.at(id).start <= time);
    RC_ASSERT(cluster.latest.at(id) <= time);
  }
}

RC_GTEST_PROP(FcfsLaws, the_order_of_starts_is_the_order_of_the_queue, ()) {
  const auto machine = between<std::uint32_t>(1, 12);
  Cluster cluster(single_cores(machine), all_by("fcfs"));
  cluster.run(workload(machine, *rc::gen::arbitrary<bool>(), 10));
  double last = 0;
  for (const auto& [id, run] : cluster.runs) {
    RC_ASSERT(run.start >= last);
    last = run.start;
  }
}

RC_GTEST_PROP(OverlapLaws, all_jobs_of_all_queues_start, ()) {
  // Whatever schedulers the queues have: nothing is given twice (the machine throws), and nobody starves.
  const auto machine = between<std::uint32_t>(1, 6);
  auto jobs = workload(machine, *rc::gen::arbitrary<bool>(), 10);
  for (ClusterJob& job : jobs) {
    const int queue = between(0, 3);
    job.request.queue = std::string(1, static_cast<char>('a' + queue));
    job.tier = static_cast<std::uint16_t>(queue / 2);
    if (between(0, 8) == 0) job.request.duration = 0, job.runtime = 50;
  }
  std::map<std::string, std::string> names;
  for (const char* queue : {"a", "b", "c"})
    names[queue] = *rc::gen::element<std::string>("fcfs", "easy", "conservative");
  Cluster cluster(
      single_cores(machine),
      [&](const std::string& queue) { return test::scheduler(names.at(queue), queue); }, true);
  cluster.run(jobs);
  RC_ASSERT(cluster.runs.size() == jobs.size());
}

RC_GTEST_PROP(ClosureLaws, nobody_else_runs_in_what_is_reserved_beforehand_and_all_start, ()) {
  const auto machine = between<std::uint32_t>(1, 6);
  const auto shapes = single_cores(machine);
  auto jobs = workload(machine, *rc::gen::arbitrary<bool>(), 10);
  for (ClusterJob& job : jobs) job.request.queue = *rc::gen::element<std::string>("a", "b");
  std::map<std::string, std::string> names;
  for (const char* queue : {"a", "b"})
    names[queue] = *rc::gen::element<std::string>("fcfs", "easy", "conservative");
  Cluster cluster(
      shapes, [&](const std::string& queue) { return test::scheduler(names.at(queue), queue); }, true);
  for (int number = between(1, 4); number > 0; --number) {
    Closure closure;
    closure.start = kNow + 10.0 * between(0, 60);
    closure.end = closure.start + 10.0 * between(1, 30);
    // One that others may use until its end.
    if (between(0, 4) == 0) closure.start = closure.end;
    const auto first = between<std::uint32_t>(0, machine), last = between<std::uint32_t>(first, machine);
    closure.R = test::inventory(shapes)->subset(notation::Idset::from_range(first, last));
    closure.admits = [](const AllocRequest& request) { return request.queue == "a"; };
    cluster.closures.push_back(std::move(closure));
  }
  cluster.run(jobs);
  RC_ASSERT(cluster.runs.size() == jobs.size());
  for (const ClusterJob& job : jobs) {
    const Cluster::Run& run = cluster.runs.at(job.id);
    for (const Closure& each : cluster.closures) {
      const bool meets = run.start < each.end && run.start + job.request.duration > each.start;
      RC_ASSERT(job.request.queue == "a" || !meets || !each.R.overlaps(run.R));
    }
  }
}

}  // namespace
}  // namespace fq::sched
