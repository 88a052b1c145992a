// Resource sets and constraints at the size of large clusters: an inventory of 20 000 nodes, an allocation of
// 10 000, constraints on 10 000.

#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "document/resource/constraint.h"
#include "document/resource/constraint_syntax.h"
#include "document/resource/resource_set.h"

namespace fq::document {
namespace {

using notation::Hostlist;
using notation::Idset;

/// Nodes of 128 cores, the first quarter with 8 GPUs; a third has `ssd`, every tenth `big@core`.
ResourceSet inventory(std::uint32_t nnodes) {
  ResourceSet set;
  for (std::uint32_t rank = 0; rank < nnodes; ++rank) {
    set.add({rank, "node" + std::to_string(rank), Idset::from_range(0, 127),
             rank < nnodes / 4 ? Idset::from_range(0, 7) : Idset{}});
  }
  Idset tenth;
  for (std::uint32_t rank = 0; rank < nnodes; rank += 10) tenth.insert(rank);
  set.set_property("ssd", Idset::from_range(0, nnodes / 3));
  set.set_property("big@core", tenth);
  return set;
}

void parse_compact(benchmark::State& state) {
  const std::string text = inventory(20'000).encode();
  for (auto _ : state) benchmark::DoNotOptimize(ResourceSet::parse(text));
}
BENCHMARK(parse_compact)->Unit(benchmark::kMillisecond);

void parse_one_entry_a_node(benchmark::State& state) {
  nlohmann::json r = {{"version", 1}, {"execution", {{"nodelist", {"node[0-19999]"}}}}};
  for (int rank = 0; rank < 20'000; ++rank) {
    r["execution"]["R_lite"].push_back(
        {{"rank", std::to_string(rank)}, {"children", {{"core", "0-127"}, {"gpu", "0-7"}}}});
  }
  const std::string text = r.dump();
  for (auto _ : state) benchmark::DoNotOptimize(ResourceSet::parse(text));
}
BENCHMARK(parse_one_entry_a_node)->Unit(benchmark::kMillisecond);

void encode_allocation(benchmark::State& state) {
  const ResourceSet set = inventory(20'000).subset(Idset::from_range(5'000, 14'999));
  for (auto _ : state) benchmark::DoNotOptimize(set.encode());
  state.counters["bytes"] = static_cast<double>(set.encode().size());
}
BENCHMARK(encode_allocation)->Unit(benchmark::kMicrosecond);

void subtract_allocation(benchmark::State& state) {
  const ResourceSet all = inventory(20'000);
  const ResourceSet part = all.subset(Idset::from_range(5'000, 14'999));
  for (auto _ : state) benchmark::DoNotOptimize(all.subtract(part));
}
BENCHMARK(subtract_allocation)->Unit(benchmark::kMicrosecond);

void match(benchmark::State& state, const std::string& text) {
  const ResourceSet set = inventory(10'000);
  const nlohmann::json object = parse_constraint_syntax(text);
  const Constraint constraint = Constraint::from_json_text(object.dump());
  benchmark::DoNotOptimize(constraint.match(set));
  for (auto _ : state) benchmark::DoNotOptimize(constraint.match(set));
}
BENCHMARK_CAPTURE(match, properties, "ssd and not big")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match, one_host, "host:node777")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match, every_host, "host:node[0-9999]")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(match, more_hosts_than_nodes, "host:node[5000-99999]")->Unit(benchmark::kMicrosecond);

void index_hosts(benchmark::State& state) {
  const ResourceSet set = inventory(10'000);
  for (auto _ : state) {
    const ResourceSet fresh = set;
    benchmark::DoNotOptimize(fresh.ranks_on("node9999"));
  }
}
BENCHMARK(index_hosts)->Unit(benchmark::kMicrosecond);

void read_constraint(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Constraint::from_json_text(
        R"({"and":[{"properties":["ssd","batch"]},{"not":[{"hostlist":["node[1-2]"]}]}]})"));
  }
}
BENCHMARK(read_constraint)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fq::document
