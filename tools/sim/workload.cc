#include "sim/workload.h"

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/config_input.h"
#include "cli/frame/input.h"
#include "cli/frame/output.h"
#include "cli/frame/pretended_nodes.h"
#include "document/config/config_source.h"
#include "frame/store_session.h"
#include "manager/site/configure.h"
#include "request/account_tables.h"
#include "request/accounts.h"

namespace fq::tools::sim {

using document::ResourceSet;

namespace {

// The machine that the trace says it ran on.
ResourceSet nodes_of(const fq::sim::Trace& trace) {
  if (trace.max_processors == 0) {
    throw Error{Kind::invalid, "the trace does not say how large its machine was", "give it with --nodes"};
  }
  const std::uint64_t nodes = std::max<std::uint64_t>(trace.max_nodes, 1);
  const std::uint64_t cores = std::max<std::uint64_t>(trace.max_processors / nodes, 1);
  return cli::pretended_nodes(fmt::format("{}:{}", trace.max_nodes == 0 ? trace.max_processors : nodes,
                                          trace.max_nodes == 0 ? 1 : cores),
                              "the machine of the trace");
}

void tell_left_out(const fq::sim::Trace& trace) {
  constexpr std::size_t kMostTold = 10;
  const std::size_t told = std::min(trace.damaged.size(), kMostTold);
  for (std::size_t i = 0; i < told; ++i) cli::say("fq-sim", trace.damaged[i] + ": left out");
  if (trace.damaged.size() > told)
    cli::say("fq-sim", fmt::format("{} more lines were left out", trace.damaged.size() - told));
  for (const auto& [why, jobs] : trace.left_out)
    cli::say("fq-sim", fmt::format("{} left out: {}", counted(jobs, "job"), why));
}

// Of banks or of users, which their columns tell.
void read_accounts(const std::string& path, request::AccountTables& tables) {
  const std::string text = cli::read_input(path);
  std::string heading = text.substr(0, text.find('\n'));
  std::transform(heading.begin(), heading.end(), heading.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const bool of_banks = heading.find("parent") != std::string::npos;
  const auto read = of_banks ? request::read_bank_table : request::read_user_table;
  for (const std::string& note : read(text, path, tables)) cli::say("fq-sim", note);
}

// They run beside each other, and a simulation is of one.
document::Config as_one(document::Config config) {
  if (config.instances.empty()) return config;
  throw Error{Kind::refused,
              fmt::format("queue {} is an instance of its own", quote(config.instances.front().queue)),
              "what is simulated is one instance: leave out `instance`, or the queue"};
}

}  // namespace

document::Config read_config(const std::optional<std::string>& path, const Options& options,
                             const Workload& workload) {
  const fq::sim::Trace& trace = workload.trace;
  std::optional<ResourceSet> nodes;
  if (options.nodes) nodes = cli::pretended_nodes(*options.nodes, "--nodes");
  if (!nodes && workload.stored) nodes = workload.stored->nodes;
  if (!path) {
    return as_one(
        manager::compile_config(workload.stored ? workload.stored->config : nlohmann::json::object(),
                                nodes ? *nodes : nodes_of(trace)));
  }
  const document::ConfigSource source(cli::read_config_files(*path));
  if (!nodes) nodes = cli::read_config_nodes(source, *path);
  return as_one(manager::check_config(source, nodes ? *nodes : nodes_of(trace)));
}

Workload read_workload(const Options& options, const std::vector<std::string>& operands) {
  const int sources =
      static_cast<int>(operands.size()) + (options.jobs ? 1 : 0) + (options.from_store ? 1 : 0);
  if (sources == 0)
    throw Error{Kind::usage, "what is to be simulated? give TRACE.swf, --jobs or --from-store"};
  if (sources > 1)
    throw Error{Kind::combination, "one workload at a time: give either TRACE.swf, --jobs or --from-store"};
  Workload workload;
  for (const std::string& path : options.accounts) read_accounts(path, workload.accounts);
  if (options.from_store) {
    const tools::StoreSession store("fq-sim", options.common);
    workload.name = store.path();
    workload.trace = fq::sim::stored_jobs(store.local(), workload.stored.emplace());
    if (options.accounts.empty()) workload.accounts = workload.stored->accounts;
  } else {
    workload.name = options.jobs ? *options.jobs : operands.front();
    const std::string text = cli::read_input(workload.name);
    try {
      workload.trace = options.jobs ? fq::sim::read_job_table(text) : fq::sim::read_trace(text);
    } catch (const Error& failure) {
      throw failure.within(workload.name);
    }
  }
  tell_left_out(workload.trace);
  if (workload.trace.jobs.empty()) throw error(Kind::invalid, "{} has no jobs", quote(workload.name));
  return workload;
}

}  // namespace fq::tools::sim
