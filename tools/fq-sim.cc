// fq-sim: how a configuration would have served a workload. Needs no store.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/config_input.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/pretended_nodes.h"
#include "cli/frame/run_tool.h"
#include "document/config_source.h"
#include "manager/serve/configure.h"
#include "notation/fsd.h"
#include "sim/machine.h"
#include "sim/summary.h"
#include "sim/trace.h"

namespace {

using namespace fq;
using document::ResourceSet;
using nlohmann::ordered_json;

struct Options {
  std::optional<std::string> config, nodes;
  std::vector<std::string> compare;
  bool json = false, schedule = false;
};

// The machine that the trace says it ran on.
ResourceSet nodes_of(const sim::Trace& trace) {
  if (trace.max_processors == 0) {
    throw Error{Kind::invalid, "the trace does not say how large its machine was", "give it with --nodes"};
  }
  const std::uint64_t nodes = std::max<std::uint64_t>(trace.max_nodes, 1);
  const std::uint64_t cores = std::max<std::uint64_t>(trace.max_processors / nodes, 1);
  return cli::pretended_nodes(fmt::format("{}:{}", trace.max_nodes == 0 ? trace.max_processors : nodes,
                                          trace.max_nodes == 0 ? 1 : cores),
                              "the machine of the trace");
}

document::Config read_config(const std::optional<std::string>& path, const std::optional<std::string>& given,
                             const sim::Trace& trace) {
  std::optional<ResourceSet> nodes;
  if (given) nodes = cli::pretended_nodes(*given, "--nodes");
  if (!path) return manager::compile_config(nlohmann::json::object(), nodes ? *nodes : nodes_of(trace));
  const document::ConfigSource source(cli::read_config_files(*path));
  if (!nodes) nodes = cli::read_config_nodes(source, *path);
  return manager::check_config(source, nodes ? *nodes : nodes_of(trace));
}

std::string heading() {
  return fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6} {:>9}\n", "NAME", "JOBS", "WAIT",
                     "MEDIAN", "P95", "MAX", "SLOWDOWN", "USED", "MAKESPAN");
}

std::string row(const std::string& name, const sim::Waits& waits, const sim::Summary* whole) {
  const auto length = [](double seconds) { return notation::format_fsd(seconds); };
  std::string line = fmt::format("{:<20} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9.2f}", name, waits.jobs,
                                 length(waits.wait.mean), length(waits.wait.median), length(waits.wait.p95),
                                 length(waits.wait.max), waits.slowdown.mean);
  if (whole != nullptr)
    line += fmt::format(" {:>5.1f}% {:>9}", 100 * whole->utilisation, length(whole->makespan));
  return line + "\n";
}

// The whole first; then queues and users where there are several.
std::string table(const std::string& name, const sim::Summary& summary, bool parts) {
  std::string text = row(name, summary.all, &summary);
  if (!parts) return text;
  if (summary.queues.size() > 1) {
    for (const auto& [queue, waits] : summary.queues) text += row("queue " + queue, waits, nullptr);
  }
  if (summary.users.size() > 1) {
    for (const auto& [user, waits] : summary.users) text += row(fmt::format("user {}", user), waits, nullptr);
  }
  return text;
}

void tell_left_out(const sim::Trace& trace) {
  constexpr std::size_t kMostTold = 10;
  const std::size_t told = std::min(trace.damaged.size(), kMostTold);
  for (std::size_t i = 0; i < told; ++i) cli::say("fq-sim", trace.damaged[i] + ": left out");
  if (trace.damaged.size() > told)
    cli::say("fq-sim", fmt::format("{} more lines were left out", trace.damaged.size() - told));
  if (trace.incomplete > 0) {
    cli::say("fq-sim",
             fmt::format("{} left out: no run time or no processors", counted(trace.incomplete, "job")));
  }
}

ordered_json document_of(const std::string& name, const sim::Outcome& outcome, bool schedule) {
  ordered_json document{{"config", name}, {"summary", sim::to_json(sim::summarise(outcome))}};
  if (schedule) document["jobs"] = sim::to_json(outcome.runs);
  return document;
}

int run(int argc, char** argv) {
  Options options;
  cli::OptionParser parser("fq-sim", "how a configuration would serve a workload", {"TRACE.swf", 1, 1});
  parser.example("fq sim trace.swf --nodes 128:16");
  parser.example("fq sim trace.swf --compare easy.toml --compare fcfs.toml");
  parser.group("What is simulated");
  parser.option("--config", "FILE|DIR", options.config, "with these queues and schedulers");
  parser.option("--compare", "FILE|DIR", options.compare, "one row for each of these configurations");
  parser.option("--nodes", "N:CORES[:GPUS]", options.nodes, "on so many nodes, not those of the trace");
  parser.group("Output");
  parser.flag("--json", options.json, "print JSON");
  parser.flag("--schedule", options.schedule, "with --json: also when and where each job ran");
  const std::string path = parser.parse(argc, argv).front();
  if (options.config && !options.compare.empty())
    throw Error{Kind::combination, "--config cannot be used with --compare"};
  if (options.schedule && !options.json) throw Error{Kind::combination, "--schedule needs --json"};

  const sim::Trace trace = sim::read_trace(cli::read_input(path));
  tell_left_out(trace);
  if (trace.jobs.empty()) throw error(Kind::invalid, "{} has no jobs", quote(path));
  std::vector<std::optional<std::string>> configurations(options.compare.begin(), options.compare.end());
  if (configurations.empty()) configurations.push_back(options.config);

  ordered_json documents = ordered_json::array();
  std::string text = heading();
  for (const auto& each : configurations) {
    const std::string name = each.value_or("");
    const sim::Outcome outcome = sim::simulate(trace, read_config(each, options.nodes, trace));
    if (!outcome.denied.empty()) {
      const sim::DeniedJob& first = outcome.denied.front();
      cli::say("fq-sim", fmt::format("{} can never run; the first is job {}: {}",
                                     counted(outcome.denied.size(), "job"), first.id, first.note));
    }
    if (options.json) {
      documents.push_back(document_of(name, outcome, options.schedule));
    } else {
      text += table(name.empty() ? "all" : name, sim::summarise(outcome), options.compare.empty());
    }
  }
  if (options.json) text = (options.compare.empty() ? documents.front() : documents).dump() + "\n";
  cli::print(text);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return fq::cli::run_tool("fq-sim", argc, argv, run);
}
