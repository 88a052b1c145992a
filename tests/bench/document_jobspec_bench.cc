// Jobspecs and events as a bulk submission handles them: a 2 KB environment, four events a job.

#include <string>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "document/event/eventlog.h"
#include "document/jobspec/jobspec.h"

namespace fq::document {
namespace {

using nlohmann::json;

json example() {
  json document = json::parse(R"({"version":1,
    "resources":[{"type":"node","count":2,"with":[{"type":"slot","count":2,"label":"task","with":[
      {"type":"core","count":2}]}]}],
    "tasks":[{"command":["sh","-c","echo hello from $FLUX_TASK_RANK; exit 0"],"slot":"task","count":{"per_slot":1}}],
    "attributes":{"system":{"duration":3600.0,"cwd":"/home/user","job":{"name":"hello"},"queue":"batch",
      "shell":{"options":{"rlimit":{"cpu":-1,"fsize":-1,"nofile":20000,"stack":8388608}}},
      "constraints":{"properties":["batch"]}}}})");
  json& environment = document["attributes"]["system"]["environment"];
  for (int i = 0; i < 40; ++i) {
    environment["VARIABLE_" + std::to_string(i)] = "/usr/local/lib/some/path/" + std::to_string(i) + ":/bin";
  }
  return document;
}

void Jobspec_parse(benchmark::State& state) {
  const std::string text = example().dump();
  for (auto _ : state) benchmark::DoNotOptimize(Jobspec::parse(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(Jobspec_parse);

void Jobspec_from_json(benchmark::State& state) {
  const json document = example();
  for (auto _ : state) benchmark::DoNotOptimize(Jobspec::from_json(document));
}
BENCHMARK(Jobspec_from_json);

void Jobspec_canonical(benchmark::State& state) {
  const Jobspec jobspec = Jobspec::from_json(example());
  for (auto _ : state) benchmark::DoNotOptimize(jobspec.canonical());
}
BENCHMARK(Jobspec_canonical);

void Jobspec_apply_update(benchmark::State& state) {
  Jobspec jobspec = Jobspec::from_json(example());
  const json context = {{"attributes.system.duration", 60}};
  for (auto _ : state) jobspec.apply_update(context);
}
BENCHMARK(Jobspec_apply_update);

void Jobspec_from_yaml(benchmark::State& state) {
  const std::string text = example().dump(2);
  for (auto _ : state) benchmark::DoNotOptimize(Jobspec::from_yaml(text));
}
BENCHMARK(Jobspec_from_yaml);

std::vector<Event> submission() {
  return {{1795257930.916864,
           "submit",
           {{"userid", 1000}, {"urgency", 16}, {"flags", 0}, {"version", 1}},
           nullptr},
          {1795257930.930256, "validate", nullptr, nullptr},
          {1795257930.941673, "depend", nullptr, nullptr},
          {1795257930.941791, "priority", {{"priority", 16}}, nullptr}};
}

void Eventlog_append_four(benchmark::State& state) {
  const std::vector<Event> events = submission();
  std::string log;
  for (auto _ : state) {
    log.clear();
    for (const Event& event : events) append_event(log, event);
    benchmark::DoNotOptimize(log);
  }
}
BENCHMARK(Eventlog_append_four);

void Eventlog_decode_four(benchmark::State& state) {
  std::string log;
  for (const Event& event : submission()) append_event(log, event);
  for (auto _ : state) benchmark::DoNotOptimize(decode_eventlog(log));
}
BENCHMARK(Eventlog_decode_four);

}  // namespace
}  // namespace fq::document
