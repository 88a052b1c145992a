// fq-priority: what orders jobs, factor by factor; what would order them with other weights; and, without a
// store, priorities and fair-share of numbers that are given.

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/config_input.h"
#include "cli/frame/input.h"
#include "cli/frame/job_values.h"
#include "cli/frame/key_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/sub_command.h"
#include "cli/list/priority_listing.h"
#include "commands.h"
#include "frame/store_session.h"
#include "priority/documents.h"
#include "request/priority.h"

namespace {

using namespace fq;
using nlohmann::json;

std::set<std::string> names_in(const std::vector<std::string>& lists) {
  std::set<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : split(list, ',')) names.emplace(name);
  }
  return names;
}

std::size_t row_count(const std::string& text) {
  const auto count = parse_u64(text);
  if (!count) throw error(Kind::invalid, "expected a number, got {}", quote(text));
  return *count == 0 ? std::numeric_limits<std::size_t>::max() : *count;
}

int show(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  request::PriorityRequest request;
  std::vector<std::string> queues;
  cli::OptionParser parser("fq-priority show", "what the priorities of waiting jobs are made of",
                           {"[ID...]", 0, cli::Operands::kUnlimited});
  parser.example("fq priority show -q batch");
  parser.group("Which jobs");
  parser.option("-q,--queue", "QUEUE,...", queues, "of these queues");
  parser.option(
      "-c,--count", "N", [&](const std::string& text) { request.most = row_count(text); },
      "the first N, 0 for all (1000)");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (const auto told = cli::priority_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_priority_listing(listing);
  if (!operands.empty() && !queues.empty()) throw Error{Kind::combination, "give IDs or --queue, not both"};
  request.ids = cli::parse_job_ids(operands);
  if (std::set<std::string> names = names_in(queues); !names.empty() && !names.contains("all"))
    request.queues = std::move(names);
  const tools::StoreSession store("fq-priority", common);
  cli::print(cli::list_priorities(store.get().ask(request).rows, listing));
  return 0;
}

int weights(int argc, char** argv) {
  cli::CommonOptions common;
  bool as_json = false;
  cli::OptionParser parser("fq-priority weights", "by which schemes and weights queues order jobs",
                           {"[QUEUE]", 0, 1});
  parser.example("fq priority weights batch");
  parser.group("Options");
  parser.flag("--json", as_json, "print JSON");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const tools::StoreSession store("fq-priority", common);
  const std::vector<request::QueuePriority> queues =
      store.get()
          .ask(request::QueuePrioritiesRequest{operands.empty() ? std::nullopt : std::optional{operands[0]}})
          .queues;
  cli::print(as_json ? cli::weight_json(queues) : cli::weight_lines(queues));
  return 0;
}

// `fair-share=5000`, checked.
json parse_weights(const std::vector<std::string>& assignments) {
  json table = json::object();
  for (const std::string& each : assignments) {
    const auto [name, value] = cli::split_assignment(each);
    table[name] = cli::json_or_text(value);
  }
  try {
    static_cast<void>(priority::read_weights(JsonAt{table, {}}, {}));
  } catch (const Error& failure) {
    throw Error{Kind::usage, fmt::format("--weight: {}", failure.what()), failure.hint()};
  }
  return table;
}

int simulate(int argc, char** argv) {
  cli::CommonOptions common;
  std::vector<std::string> assignments;
  std::optional<std::string> path;
  bool as_json = false;
  cli::OptionParser parser("fq-priority simulate", "the order of jobs now and with other weights");
  parser.example("fq priority simulate --weight fair-share=50000 --weight job-size=2000");
  parser.group("With what");
  parser.option("--weight", "FACTOR=NUMBER", assignments, "this weight, in every queue");
  parser.option("--config", "FILE|DIR", path, "the policy of this configuration");
  parser.flag("--json", as_json, "print JSON");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (assignments.empty() && !path) throw Error{Kind::combination, "suppose what? --weight or --config"};
  request::SupposeRequest request;
  request.weights = dump_json(parse_weights(assignments));
  if (path) {
    request.config = cli::read_config_files(*path);
    request.nodes = cli::read_config_nodes(document::ConfigSource{request.config}, *path);
  }
  const tools::StoreSession store("fq-priority", common);
  const std::vector<request::SupposedRow> rows = store.get().ask(request).rows;
  cli::print(as_json ? cli::supposed_json(rows) : cli::supposed_lines(rows));
  return 0;
}

int compute(int argc, char** argv) {
  cli::OptionParser parser("fq-priority compute", "the priority of factors and weights, without a store",
                           {"FILE", 1, 1});
  parser.example("fq priority compute factors.json");
  const std::string path = parser.parse(argc, argv).front();
  const json document = parse_json(cli::read_input(path), path == "-" ? "standard input" : path);
  std::string out;
  for (const auto& [factors, weights] : priority::read_weighed_factors(document))
    out += fmt::format("{}\n", priority::multifactor_priority(priority::points_of(weights, factors)));
  cli::print(out);
  return 0;
}

int fair_share(int argc, char** argv) {
  auto algorithm = priority::FairShareAlgorithm::ratio;
  cli::OptionParser parser("fq-priority fair-share", "the fair-share of a tree of banks, without a store",
                           {"FILE", 1, 1});
  parser.example("fq priority fair-share tree.json --algorithm=fair-tree");
  parser.group("Options");
  parser.option(
      "--algorithm", "NAME",
      [&](const std::string& name) { algorithm = priority::fair_share_algorithm(name); },
      "ratio or fair-tree (ratio)");
  const std::string path = parser.parse(argc, argv).front();
  const std::string text = cli::read_input(path);
  priority::ShareNode tree =
      priority::read_share_tree(parse_json(text, path == "-" ? "standard input" : path));
  priority::compute_fair_share(tree, algorithm);
  auto document = nlohmann::ordered_json::parse(text);
  priority::add_fair_share(document, tree);
  cli::print(document.dump(2) + '\n');
  return 0;
}

int update(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false;
  cli::OptionParser parser("fq-priority update", "do what time has made due: for cron, never needed");
  parser.example("fq priority update");
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "say in one line what came of it");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const tools::StoreSession store("fq-priority", common);
  const request::PriorityUpdate done = store.get().ask(request::UpdatePrioritiesRequest{});
  if (verbose) {
    cli::print(fmt::format("{}: {} running, {} waiting\n",
                           done.was_due ? "a pass was due" : "nothing was due", counted(done.running, "job"),
                           done.waiting));
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"show", "what the priorities of waiting jobs are made of", show},
      {"weights", "by which schemes and weights queues order jobs", weights},
      {"simulate", "the order of jobs now and with other weights", simulate},
      {"update", "do what time has made due: for cron, never needed", update},
      {"compute", "the priority of factors and weights, without a store", compute},
      {"fair-share", "the fair-share of a tree of banks, without a store", fair_share},
  };
  return cli::run_sub_command("fq-priority", "look at what orders jobs", commands, argc, argv);
}

}  // namespace

int fq::tools::command::priority(int argc, char** argv) {
  return ::run(argc, argv);
}
