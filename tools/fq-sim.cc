// fq-sim: how a configuration would have served a workload.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "commands.h"
#include "sim/generated.h"
#include "sim/machine.h"
#include "sim/page.h"
#include "sim/summary.h"
#include "sim/table.h"
#include "sim/workload.h"

namespace {

using namespace fq;
using nlohmann::ordered_json;

ordered_json document_of(const std::string& name, const sim::Outcome& outcome, const sim::Summary& summary,
                         bool schedule) {
  ordered_json document{{"config", name}, {"summary", sim::to_json(summary)}};
  if (schedule) document["jobs"] = sim::to_json(outcome.runs, outcome.names);
  return document;
}

void tell_losses(const sim::Outcome& outcome, const sim::Summary& summary) {
  constexpr std::size_t kMostTold = 10;
  for (std::size_t i = 0; i < summary.reasons.size(); ++i) {
    const sim::Summary::Reason& reason = summary.reasons[i];
    if (i == kMostTold) {
      cli::say("fq-sim", fmt::format("jobs were refused for {} more reasons", summary.reasons.size() - i));
      break;
    }
    cli::say("fq-sim", fmt::format("{} refused, {}job {}: {}", counted(reason.jobs, "job"),
                                   reason.jobs == 1 ? "" : "the first is ", reason.first, reason.text));
  }
  if (!outcome.waiting.empty()) {
    cli::say("fq-sim",
             fmt::format("{} never started; the first is job {}: {}", counted(outcome.waiting.size(), "job"),
                         outcome.waiting.front().id, outcome.waiting.front().note));
  }
  if (summary.preemptions > 0) {
    cli::say("fq-sim",
             fmt::format("{}, which cost {:.1f} core-hours", counted(summary.preemptions, "preemption"),
                         summary.lost_core_seconds / 3600));
  }
}

int run(int argc, char** argv) {
  tools::sim::Options options;
  cli::OptionParser parser("fq-sim", "how a configuration would serve a workload", {"[TRACE.swf]", 0, 1});
  parser.example("fq sim trace.swf --nodes 128:16");
  parser.example("fq sim trace.swf --compare easy.toml --compare fcfs.toml");
  parser.example("fq sim --generate 5000 --nodes 128:16 --load 0.9 >trace.swf");
  parser.example("fq sim --from-store --compare now.toml --compare then.toml");
  parser.group("What is simulated (one of TRACE.swf and the first two)");
  parser.option("--jobs", "FILE.csv", options.jobs, "these jobs, a row each");
  parser.flag("--from-store", options.from_store, "the jobs that the store has seen, on its nodes");
  parser.option("--accounts", "FILE.csv", options.accounts,
                "with these banks or users ('fq account export')");
  parser.option("--config", "FILE|DIR", options.config, "with these queues and schedulers");
  parser.option("--compare", "FILE|DIR", options.compare, "side by side, with each of these configurations");
  parser.option("--nodes", "N:CORES[:GPUS]", options.nodes, "on so many nodes, not those of the trace");
  parser.group("Output");
  parser.flag("--json", options.json, "print JSON");
  parser.flag("--schedule", options.schedule, "with --json: also when and where each job ran");
  parser.flag("--html", options.html, "print a page with charts");
  parser.group("Making a workload instead");
  parser.option("--generate", "JOBS", options.generate, "print a trace of so many jobs instead");
  parser.option("--seed", "N", options.seed, "another one for each number (1)");
  parser.option("--load", "L", options.load, "they ask for so much of the machine (0.8)");
  cli::add_common_options(parser, options.common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (options.config && !options.compare.empty())
    throw Error{Kind::combination, "--config cannot be used with --compare"};
  if (options.schedule && !options.json) throw Error{Kind::combination, "--schedule needs --json"};

  if (options.html && options.json) throw Error{Kind::combination, "--html cannot be used with --json"};
  if (options.generate) {
    cli::print(tools::sim::generated_trace(options, operands));
    return 0;
  }
  if (options.seed || options.load)
    throw error(Kind::combination, "{} needs --generate", options.seed ? "--seed" : "--load");

  const tools::sim::Workload workload = tools::sim::read_workload(options, operands);
  std::vector<std::optional<std::string>> configurations(options.compare.begin(), options.compare.end());
  if (configurations.empty()) configurations.push_back(options.config);

  ordered_json documents = ordered_json::array();
  std::vector<tools::sim::Simulation> simulations;
  std::string text = tools::sim::heading();
  for (const auto& each : configurations) {
    const std::string name = each.value_or("");
    cli::Progress progress(/*rate=*/true);
    sim::SimulateOptions simulated;
    simulated.accounts = workload.accounts;
    simulated.keep_resources = options.schedule || options.html;
    simulated.progress = [&](std::uint64_t done, std::uint64_t total) {
      if (progress.is_shown()) progress.update(fmt::format("Simulating {} jobs: ", total), done, total);
    };
    sim::Outcome outcome =
        sim::simulate(workload.trace, tools::sim::read_config(each, options, workload), simulated);
    progress.clear();
    sim::Summary summary = sim::summarise(outcome);
    tell_losses(outcome, summary);
    if (options.html) {
      simulations.push_back({name.empty() ? "all" : name, std::move(outcome), std::move(summary)});
    } else if (options.json) {
      documents.push_back(document_of(name, outcome, summary, options.schedule));
    } else {
      text += tools::sim::table(name.empty() ? "all" : name, summary);
    }
  }
  if (options.html)
    text = tools::sim::simulation_page(workload.name == "-" ? "A workload" : workload.name, simulations);
  if (options.json) text = (options.compare.empty() ? documents.front() : documents).dump() + "\n";
  cli::print(text);
  return 0;
}

}  // namespace

int fq::tools::command::sim(int argc, char** argv) {
  return ::run(argc, argv);
}
