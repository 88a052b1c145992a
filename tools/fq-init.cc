// fq-init: makes a store.

#include <cstdlib>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

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
#include "frame/as_store_owner.h"
#include "frame/store_session.h"
#include "init/system_setup.h"
#include "manager/engine/adopt.h"
#include "manager/engine/store_check.h"
#include "manager/site/configure.h"
#include "manager/site/initialize.h"
#include "process/machine/baseline.h"
#include "process/machine/topology.h"
#include "process/start/as_user.h"

namespace {

using namespace fq;

struct Options {
  cli::CommonOptions common;
  std::optional<std::string> r_file, test_nodes, gpus, config;
  bool force = false;
  bool adopt = false;
  bool system = false;
  bool new_key = false;
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
  std::string report = fmt::format("store     {}\n", store.path());
  if (failed > 0)
    report += fmt::format("failed    {} that ran where it was copied\n", counted(failed, "job"));
  cli::print(report);
  return 0;
}

// What a store is made of.
struct Plan {
  manager::InitRequest request;
  std::unique_ptr<const document::ConfigSource> config;  ///< which the request refers to
};

Plan make_plan(const Options& options, const std::string& store) {
  Plan plan;
  plan.request.store = store;
  std::optional<document::ResourceSet> configured;
  document::ProbeConfig probe;
  if (options.config) {
    plan.config = std::make_unique<const document::ConfigSource>(cli::read_config_files(*options.config));
    configured = cli::read_config_nodes(*plan.config, *options.config);
    probe = document::read_probe(document::ConfigAt(plan.config->document(), plan.config.get()));
    plan.request.config = plan.config.get();
  }
  plan.request.inventory = inventory(options, configured, probe);
  // What jobs of users inherit is fq-imp's affair, and fq-gate lets nothing of who asks through.
  if (store != manager::kSystemStore) plan.request.baseline = process::Baseline::capture().encode();
  plan.request.force = options.force;
  return plan;
}

// The place of the store that users share is its user's.
void refuse_system_store() {
  const std::string place{manager::kSystemStore};
  if (::geteuid() == 0) {
    throw Error{Kind::refused,
                fmt::format("{} is the place of a store that users share, not of root's", quote(place)),
                "fq init --system makes it"};
  }
  struct stat info {};
  if (::stat(place.c_str(), &info) == 0 && info.st_uid != ::geteuid()) {
    throw Error{Kind::permission,
                fmt::format("the directory {} belongs to user {}", quote(place), info.st_uid),
                "name a place of your own: fq init --store DIR"};
  }
}

void make_store(const Plan& plan) {
  manager::initialize(plan.request, manager::Credential::of_process(), SystemClock{});
  if (!plan.config) return;
  for (const Error& unknown : cli::unknown_names(*plan.config))
    cli::print_error(cli::error_line("fq-init", unknown));
}

void print_store(const manager::InitRequest& made) {
  cli::print_line("store     " + made.store);
  cli::print_line(fmt::format("nodes     {} ({})", made.inventory.nnodes(), made.inventory.nodelist()));
  cli::print_line(fmt::format("cores     {}", made.inventory.ncores()));
  cli::print_line(fmt::format("gpus      {}", made.inventory.ngpus()));
}

// Whether $FQ_STORE alone names the store that the options have.
bool environment_names(const std::optional<std::string>& store) {
  const char* environment = std::getenv("FQ_STORE");
  return environment != nullptr && store == environment;
}

// All that is missing for a store that the users of this machine share, and the store, as its user.
int set_up_system(const Options& options) {
  namespace setup = tools::system_setup;
  const std::string store{manager::kSystemStore};
  const bool is_named = options.common.store && !environment_names(options.common.store);
  if (is_named || options.force || options.adopt)
    throw error(Kind::combination,
                "--system makes the store in {}: --store, --force and --adopt do not go with it", store);
  setup::require_root_and_installation();
  const bool is_there = manager::store_exists(store);
  if (is_there && (options.r_file || options.test_nodes || options.gpus || options.config)) {
    throw Error{Kind::refused, fmt::format("there is a store in {} already", quote(store)),
                "fq config load changes its configuration, fq resource reload its nodes"};
  }
  std::optional<Plan> plan;
  if (!is_there) {
    plan = make_plan(options, store);
    document::check_inventory(plan->request.inventory);
    if (plan->config) static_cast<void>(manager::check_config(*plan->config, plan->request.inventory));
  }
  bool made = false;
  const auto tell = [&](const setup::Line& line) {
    if (line) made = true;
    if (line && !options.quiet) cli::print_line(*line);
  };
  tell(setup::make_user());
  tell(setup::make_keys(options.new_key));
  tell(setup::make_session());
  tell(setup::make_setuid());
  tell(setup::make_tmpfiles());
  tell(setup::make_place());
  if (!is_there) {
    const int code = process::do_as_user(setup::store_user(), [&plan] {
      return cli::run_tool("fq-init", 0, nullptr, [&plan](int, char**) {
        make_store(*plan);
        return 0;
      });
    });
    if (code != 0) return code;
    made = true;
    if (!options.quiet) print_store(plan->request);
  }
  tell(setup::start_at_boot());
  if (made) tell(setup::what_to_call_at_boot());
  if (!made && !options.quiet) cli::print_line("everything is there: nothing was changed");
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
  parser.flag("--system", options.system, "make a queue that all users here share");
  parser.flag("--new-key", options.new_key, "with --system: new keys of root's");
  parser.flag("--quiet", options.quiet, "print nothing");
  parser.example("fq init");
  parser.example("fq init --store /scratch/fq --test-nodes 4:8:2");
  cli::add_common_options(parser, options.common);
  static_cast<void>(parser.parse(argc, argv));

  if (options.common.host)
    throw Error{Kind::combination, "a store is made on this machine", "leave out --host, and FQ_HOST"};
  if (options.new_key && !options.system) throw Error{Kind::combination, "--new-key goes with --system"};
  if (options.system) return set_up_system(options);
  if (options.adopt) return tools::as_store_owner("fq-init", options.common, [&] { return adopt(options); });

  const std::string place = manager::locate_store(options.common.store).path;
  if (place == manager::kSystemStore) refuse_system_store();
  const Plan plan = make_plan(options, place);
  const std::string boot_line = cli::crontab_line(plan.request.store);
  make_store(plan);
  if (options.quiet) return 0;
  print_store(plan.request);
  if (options.common.store && !environment_names(options.common.store))
    cli::print_line("use it    export FQ_STORE=" + shell_quote(plan.request.store));
  cli::print_line("at boot   crontab: " + boot_line);
  return 0;
}

}  // namespace

int fq::tools::command::init(int argc, char** argv) {
  return ::run(argc, argv);
}
