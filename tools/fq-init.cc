// fq-init: makes a store.

#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/frame/boot_line.h"
#include "cli/frame/common_options.h"
#include "cli/frame/config_input.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/pretended_nodes.h"
#include "cli/frame/run_tool.h"
#include "commands.h"
#include "document/config/config_resource.h"
#include "document/resource/inventory_check.h"
#include "document/resource/resource_set.h"
#include "frame/store_session.h"
#include "manager/engine/adopt.h"
#include "manager/site/initialize.h"
#include "process/baseline.h"
#include "process/topology.h"

namespace {

using namespace fq;

struct Options {
  cli::CommonOptions common;
  std::optional<std::string> r_file, test_nodes, gpus, config;
  bool force = false;
  bool adopt = false;
  bool quiet = false;
};

std::uint32_t gpu_count(std::string_view text) {
  constexpr std::uint64_t kMostGpus = 1024;
  const auto value = parse_u64(text);
  if (!value || *value > kMostGpus) {
    throw error(Kind::usage, "--gpus: expected a number up to {}, got {}", kMostGpus, quote(text));
  }
  return static_cast<std::uint32_t>(*value);
}

// What the options say, else the configuration, else this machine.
document::ResourceSet inventory(const Options& options,
                                const std::optional<document::ResourceSet>& configured,
                                const document::ProbeConfig& probe) {
  if (configured && (options.r_file || options.test_nodes || options.gpus)) {
    throw Error{Kind::usage, "the configuration gives the nodes: leave out --R, --test-nodes and --gpus"};
  }
  if (configured) return *configured;
  if (options.r_file && options.test_nodes) {
    throw Error{Kind::combination, "--R cannot be used with --test-nodes"};
  }
  if (options.gpus && (options.r_file || options.test_nodes)) {
    throw error(Kind::combination, "--gpus cannot be used with {}", options.r_file ? "--R" : "--test-nodes");
  }
  if (options.test_nodes) return cli::pretended_nodes(*options.test_nodes, "--test-nodes");
  if (options.r_file) {
    auto r = document::ResourceSet::parse(cli::read_input(*options.r_file));
    r.drop_instance_local_properties();
    try {
      document::check_inventory(r);
    } catch (const Error& failure) {
      throw failure.within("R");
    }
    // An inherited R becomes an inventory of its own: ranks count from 0 (RFC 20).
    return r.rerank(r.hostlist());
  }
  const auto gpus = options.gpus ? std::optional{gpu_count(*options.gpus)} : std::nullopt;
  return process::probe_resources(gpus, probe.restricted);
}

int adopt(const Options& options) {
  if (options.r_file || options.test_nodes || options.gpus || options.config || options.force) {
    throw Error{Kind::combination, "--adopt makes no store: only --store and --quiet go with it"};
  }
  const tools::StoreSession store("fq-init", options.common);
  const std::uint64_t failed = manager::adopt(store.local());
  if (options.quiet) return 0;
  std::string report = fmt::format("store     {}\n", store.local().store);
  if (failed > 0)
    report += fmt::format("failed    {} that ran where it was copied\n", counted(failed, "job"));
  cli::print(report);
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  cli::OptionParser parser("fq-init", "make a store: the place where jobs, queues and resources are kept");
  parser.group("Resources");
  parser.option("--R", "FILE", options.r_file, "an RFC 20 resource set, not this machine's");
  parser.option("--gpus", "N", options.gpus, "this machine has N GPUs, whatever is found");
  parser.option("--test-nodes", "N:CORES[:GPUS]", options.test_nodes,
                "pretend to have N nodes; jobs run here");
  parser.group("Making");
  parser.option("--config", "FILE|DIR", options.config, "load this configuration, as fq config load does");
  parser.flag("--force", options.force, "replace a store that has no active jobs");
  parser.flag("--adopt", options.adopt, "make a store of a copy taken while jobs ran");
  parser.flag("--quiet", options.quiet, "print nothing");
  parser.example("fq init");
  parser.example("fq init --store /scratch/fq --test-nodes 4:8:2");
  cli::add_common_options(parser, options.common);
  static_cast<void>(parser.parse(argc, argv));

  if (options.adopt) return adopt(options);

  manager::InitRequest request;
  request.store = manager::locate_store(options.common.store).path;
  std::optional<document::ResourceSet> configured;
  document::ProbeConfig probe;
  std::unique_ptr<const document::ConfigSource> config;
  if (options.config) {
    config = std::make_unique<const document::ConfigSource>(cli::read_config_files(*options.config));
    configured = cli::read_config_nodes(*config, *options.config);
    probe = document::read_probe(document::ConfigAt(config->document(), config.get()));
    request.config = config.get();
  }
  request.inventory = inventory(options, configured, probe);
  request.baseline = process::Baseline::capture().encode();
  request.force = options.force;
  const std::string boot_line = cli::crontab_line(request.store);
  const SystemClock clock;
  manager::initialize(request, manager::Credential::of_process(), clock);
  if (config) {
    for (const Error& unknown : cli::unknown_names(*config))
      cli::print_error(cli::error_line("fq-init", unknown));
  }
  if (options.quiet) return 0;
  const char* environment = std::getenv("FQ_STORE");
  const bool known = environment != nullptr && options.common.store == environment;
  cli::print_line("store     " + request.store);
  cli::print_line(fmt::format("nodes     {} ({})", request.inventory.nnodes(), request.inventory.nodelist()));
  cli::print_line(fmt::format("cores     {}", request.inventory.ncores()));
  cli::print_line(fmt::format("gpus      {}", request.inventory.ngpus()));
  if (options.common.store && !known)
    cli::print_line("use it    export FQ_STORE=" + shell_quote(request.store));
  cli::print_line("at boot   crontab: " + boot_line);
  return 0;
}

}  // namespace

int fq::tools::command::init(int argc, char** argv) {
  return ::run(argc, argv);
}
