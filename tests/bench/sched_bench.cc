// What a scheduling pass costs on 10 000 nodes of 64 cores and 4 GPUs, about half of them allocated in small
// pieces. Target: a match that fails takes at most 1 ms.

#include <memory>
#include <random>

#include <benchmark/benchmark.h>

#include "sched/matcher.h"
#include "sched/pool.h"
#include "sched/support.h"

namespace {

using namespace fq;
using namespace fq::sched;
using document::ResourceSet;
using notation::Idset;
using test::nodes;
using test::slots;

constexpr std::size_t kNodes = 10000;
constexpr double kNow = 1000000;

std::shared_ptr<const ResourceSet> cluster() {
  static const std::shared_ptr<const ResourceSet> made = [] {
    auto r = test::inventory(std::vector<test::Shape>(kNodes, {64, 4}));
    r->set_property("batch", Idset::from_range(0, kNodes / 2));
    return r;
  }();
  return made;
}

/// Every node has between 1 and 63 cores free, and some of its GPUs.
const Pool& busy_pool() {
  static const Pool made = [] {
    Pool pool(cluster());
    std::mt19937 random(1);
    ResourceSet taken;
    for (const ResourceSet::Node& node : cluster()->nodes()) {
      taken.add({node.rank, node.host, Idset::from_range(0, random() % 63), node.gpus.first_n(random() % 5)});
    }
    pool.allocate(taken);
    return pool;
  }();
  return made;
}

class Manager final : public JobManager {
 public:
  Pool& pool() override { return pool_; }
  Timeline& timeline() override { return timeline_; }
  void for_each_job(const std::function<void(const HelloJob&)>&) const override {}
  std::string jobspec(notation::JobId) const override { return "{}"; }

 private:
  Pool pool_{busy_pool()};
  Timeline timeline_{pool_, kNow, [] { return std::nullopt; }, {}, false};
};

void make_pool(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Pool(cluster()));
}
BENCHMARK(make_pool)->Unit(benchmark::kMicrosecond);

void copy_pool(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Pool(busy_pool()));
}
BENCHMARK(copy_pool)->Unit(benchmark::kMicrosecond);

void decode_all_chunks(benchmark::State& state) {
  std::vector<std::string> chunks;
  for (std::size_t i = 0; i < busy_pool().chunk_count(); ++i) chunks.push_back(busy_pool().encode_chunk(i));
  Pool pool(cluster());
  for (auto _ : state) {
    for (std::size_t i = 0; i < chunks.size(); ++i) pool.decode_chunk(i, chunks[i]);
  }
}
BENCHMARK(decode_all_chunks)->Unit(benchmark::kMicrosecond);

/// A match of a new matcher: the nodes are visited.
void match_first(benchmark::State& state, const AllocRequest& request) {
  for (auto _ : state) {
    Matcher matcher(busy_pool());
    benchmark::DoNotOptimize(matcher.match(request, kNow));
  }
}
BENCHMARK_CAPTURE(match_first, fails_exclusive, nodes(1, 1, 1, 0, true))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match_first, fails_gpus, nodes(kNodes, 1, 1, 4))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match_first, one_core, slots(1))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match_first, thousand_nodes, nodes(1000, 1, 8))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match_first, hundred_thousand_slots, slots(100000))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match_first, fails_constrained,
                  test::with_constraint(nodes(1, 1, 64), R"({"properties":["batch"]})"))
    ->Unit(benchmark::kMicrosecond);

/// The same request again while nothing changed: what each further job class costs.
void match_again_fails(benchmark::State& state) {
  Matcher matcher(busy_pool());
  const AllocRequest request = test::with_constraint(nodes(1, 1, 64), R"({"properties":["batch"]})");
  for (auto _ : state) benchmark::DoNotOptimize(matcher.match(request, kNow));
}
BENCHMARK(match_again_fails)->Unit(benchmark::kNanosecond);

void allocate_and_release_one_core(benchmark::State& state) {
  Pool pool(busy_pool());
  Matcher matcher(pool);
  for (auto _ : state) {
    const auto r = matcher.match(slots(1), kNow);
    pool.allocate(*r);
    pool.release(*r);
  }
}
BENCHMARK(allocate_and_release_one_core)->Unit(benchmark::kMicrosecond);

void pass_of_a_blocked_head(benchmark::State& state) {
  for (auto _ : state) {
    Manager manager;
    const auto fcfs = test::scheduler("fcfs");
    fcfs->hello(manager, kNow);
    benchmark::DoNotOptimize(fcfs->alloc(nodes(1, 1, 1, 0, true)));
  }
}
BENCHMARK(pass_of_a_blocked_head)->Unit(benchmark::kMicrosecond);

/// A pass over 100 classes on 10 000 nodes, each with a job of its own, where nothing can start: the head
/// waits for half of them.
void pass_that_reserves(benchmark::State& state) {
  constexpr auto kAll = static_cast<std::uint32_t>(kNodes);
  constexpr std::uint32_t kClasses = 100;
  const auto nodes_of_it = test::inventory(std::vector<test::Shape>(kAll, test::Shape{64, 0}));
  Pool busy(nodes_of_it);
  std::vector<AllocationEnd> ends;
  for (std::uint32_t rank = 0; rank < kAll; ++rank) {
    const auto r = test::parts(fmt::format("{}:0-63", (rank * 7919) % kAll));
    busy.allocate(r);
    ends.push_back({{rank + 1U}, kNow + 60 + rank, true, r});
  }
  for (auto _ : state) {
    Pool pool(busy);
    Timeline timeline(
        pool, kNow,
        [at = ends.begin(), end = ends.end()]() mutable -> std::optional<AllocationEnd> {
          return at == end ? std::nullopt : std::optional(*at++);
        },
        {}, false);
    struct Source final : JobManager {
      Source(Pool& p, Timeline& t) : pool_(p), timeline_(t) {}
      Pool& pool() override { return pool_; }
      Timeline& timeline() override { return timeline_; }
      void for_each_job(const std::function<void(const HelloJob&)>&) const override {}
      std::string jobspec(notation::JobId) const override { return "{}"; }
      Pool& pool_;
      Timeline& timeline_;
    } source(pool, timeline);
    const auto scheduler = test::scheduler(state.range(0) == 0 ? "easy" : "conservative");
    scheduler->hello(source, kNow);
    for (std::uint64_t id = 1; id <= kClasses; ++id) {
      AllocRequest request = nodes(id == 1 ? kAll / 2 : static_cast<std::uint32_t>(id), 1, 64);
      request.id = {kAll + id};
      request.t_submit = static_cast<double>(id);
      request.duration = request.least_duration = 3600 + static_cast<double>(id);
      benchmark::DoNotOptimize(scheduler->alloc(request));
    }
  }
}
BENCHMARK(pass_that_reserves)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
