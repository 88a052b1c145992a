// Decoding and encoding lists of 10 000 entries that do not compress, and the set operations on them.

#include <random>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "notation/fluid.h"
#include "notation/hostlist.h"
#include "notation/idset.h"

namespace fq::notation {
namespace {

constexpr int kEntries = 10'000;

/// Every second id, so that each is a range of its own.
std::string sparse_idset() {
  std::string text;
  for (int i = 0; i < kEntries; ++i) text += fmt::format("{}{}", i == 0 ? "" : ",", 2 * i);
  return text;
}

std::string shuffled_hosts(bool in_brackets) {
  std::vector<int> numbers(kEntries);
  for (int i = 0; i < kEntries; ++i) numbers[static_cast<std::size_t>(i)] = i;
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937{1});
  std::string text = in_brackets ? "node[" : "";
  for (const int number : numbers) text += fmt::format("{}{:05},", in_brackets ? "" : "node", number);
  text.pop_back();
  return in_brackets ? text + "]" : text;
}

void idset_decode_encode(benchmark::State& state) {
  const std::string text = sparse_idset();
  for (auto _ : state) benchmark::DoNotOptimize(Idset::decode(text).encode());
  state.SetItemsProcessed(state.iterations() * kEntries);
}
BENCHMARK(idset_decode_encode)->Unit(benchmark::kMicrosecond);

void idset_intersect(benchmark::State& state) {
  const Idset a = Idset::decode(sparse_idset());
  Idset b = a;
  b.erase(5'000, 15'000);
  for (auto _ : state) benchmark::DoNotOptimize(a.intersect(b));
}
BENCHMARK(idset_intersect)->Unit(benchmark::kMicrosecond);

void hostlist_decode_encode(benchmark::State& state) {
  const std::string text = shuffled_hosts(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(Hostlist::decode(text).encode());
  state.SetItemsProcessed(state.iterations() * kEntries);
}
BENCHMARK(hostlist_decode_encode)->ArgName("brackets")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void hostlist_intersect(benchmark::State& state) {
  const Hostlist a = Hostlist::decode(shuffled_hosts(true));
  const Hostlist b = Hostlist::decode("node[02000-07999]");
  for (auto _ : state) benchmark::DoNotOptimize(a.intersect(b));
}
BENCHMARK(hostlist_intersect)->Unit(benchmark::kMicrosecond);

void hostlist_uniq(benchmark::State& state) {
  const Hostlist a = Hostlist::decode(shuffled_hosts(true));
  for (auto _ : state) {
    Hostlist sorted = a;
    sorted.uniq();
    benchmark::DoNotOptimize(sorted);
  }
}
BENCHMARK(hostlist_uniq)->Unit(benchmark::kMicrosecond);

void f58_print_and_parse(benchmark::State& state) {
  JobId id{6731191091817518};
  for (auto _ : state) benchmark::DoNotOptimize(id = parse_job_id(to_f58(id)));
}
BENCHMARK(f58_print_and_parse);

}  // namespace
}  // namespace fq::notation
