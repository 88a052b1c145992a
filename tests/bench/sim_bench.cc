// Simulated jobs through the whole state machine, on 1 024 nodes under easy: from a workload as it is found
// on real machines (argument: jobs; cores of a node). Target: 20 000 jobs a second.

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "manager/site/configure.h"
#include "sim/generate.h"
#include "sim/machine.h"

namespace {

using namespace fq;

constexpr std::uint32_t kNodes = 1024;

void simulated_jobs(benchmark::State& state) {
  const auto cores = static_cast<std::uint32_t>(state.range(1));
  sim::Generation wanted;
  wanted.jobs = static_cast<std::size_t>(state.range(0));
  wanted.nodes = kNodes;
  wanted.processors = std::uint64_t{kNodes} * cores;
  const sim::Trace trace = sim::generate(wanted);
  const auto inventory = document::ResourceSet::uniform(notation::Idset::from_range(0, kNodes - 1),
                                                        notation::Hostlist::decode("node[0-1023]"),
                                                        notation::Idset::from_range(0, cores - 1), {});
  const document::Config config = manager::compile_config(nlohmann::json::object(), inventory);
  std::uint64_t transactions = 0;
  for (auto _ : state) {
    const sim::Outcome outcome = sim::simulate(trace, config);
    transactions = outcome.passes;
    benchmark::DoNotOptimize(outcome.runs.size());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["transactions"] = static_cast<double>(transactions);
}

}  // namespace

BENCHMARK(simulated_jobs)
    ->Args({2'000, 1})
    ->Args({10'000, 1})
    ->Args({10'000, 32})
    ->Args({50'000, 32})
    ->Unit(benchmark::kMillisecond);
